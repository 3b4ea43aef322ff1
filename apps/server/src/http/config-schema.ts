import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseUrl } from '@drawbridge/kit';
import { z } from 'zod';
import { setting, whole } from '../program/setting.ts';

const megabyte = 1024 * 1024;

const isOrigin = (text: string) => {
  const url = parseUrl(text);
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  );
};
const origin = z
  .string()
  .refine(isOrigin, {
    error: 'must be an http or https origin alone, such as https://bridge.example.org',
    abort: true,
  })
  .transform((text) => new URL(text).origin);

const isAddress = (text: string) => {
  const [address = '', prefix] = text.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  return (
    prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128) && Number(prefix) > 0)
  );
};
const addresses = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine((all) => all.every(isAddress), 'must be IP addresses or ranges, separated by commas');

export const limitsConfig = z.object({
  signInPerMinute: setting(
    'SIGN_IN_PER_MINUTE',
    'Sign-ins and password changes per minute and address; the same number per minute and account.',
    whole(1, 100_000).prefault('20'),
  ),
  setupPerMinute: setting(
    'SETUP_PER_MINUTE',
    'Attempts at set-up or with an invitation, per minute and address.',
    whole(1, 100_000).prefault('10'),
  ),
  pairingPerMinute: setting(
    'PAIRING_PER_MINUTE',
    'Failed pairings per minute and address.',
    whole(1, 100_000).prefault('30'),
  ),
  notFoundPerMinute: setting(
    'NOT_FOUND_PER_MINUTE',
    'Requests for paths that do not exist, per minute and address.',
    whole(1, 100_000).prefault('120'),
  ),
  tokenPerMinute: setting(
    'TOKEN_PER_MINUTE',
    'Requests per minute with one access token, or of one client of a user.',
    whole(1, 10_000_000).prefault('1200'),
  ),
  unreadPerUserBytes: setting(
    'UNREAD_BYTES_PER_USER',
    'Bytes of answers and events that one user may leave unread, over all connections. Beyond an eighth of it no further requests of a slow connection are read; beyond half, requests by HTTP are refused; beyond all of it, the largest connection is closed.',
    whole(megabyte, 1_024 * 1_024 * megabyte).prefault(String(128 * megabyte)),
  ),
  unreadBytes: setting(
    'UNREAD_BYTES',
    'The same of all users together. Beyond it, connections of the user with most are closed.',
    whole(megabyte, 1_024 * 1_024 * megabyte).prefault(String(512 * megabyte)),
  ),
});

export type LimitsConfig = z.output<typeof limitsConfig>;

export const httpConfig = z.object({
  host: setting('HOST', 'Address to listen on.', z.string().min(1).prefault('127.0.0.1')),
  port: setting('PORT', 'Port to listen on; 0 picks a free one.', whole(0, 65_535).prefault('5820')),
  publicUrl: setting(
    'PUBLIC_URL',
    'The origin under which users and machines reach the server. Default: `http://<HOST>:<PORT>`.',
    origin.optional(),
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    'Addresses or ranges of proxies whose `X-Forwarded-For` is trusted, separated by commas.',
    addresses.default([]),
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    'How long a server with `REDIS_URL` that gets SIGTERM still answers requests that it has, in seconds; 0: no longer than others, which take 4 s. In the first tenth it accepts new ones, while `/ready` answers 503.',
    whole(0, 3_600).prefault('30'),
  ),
  daemonFile: setting(
    'DAEMON_FILE',
    'The packed daemon that machines download, with its `.json` in the same folder. Default: the one built with this server.',
    z
      .string()
      .endsWith('.tgz')
      .transform((file) => resolve(file))
      .optional(),
  ),
});
