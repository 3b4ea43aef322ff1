import ipaddr from 'ipaddr.js';
import { toWebHost, type WebHost } from '../network/host.ts';

const authorityText = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::([1-9][0-9]{0,4}))?$/i;

/** A number in another base, or with fewer parts, is one address for some programs and a name for others. */
const isPlainName = (hostname: string): boolean => {
  if (hostname.startsWith('[')) return ipaddr.IPv6.isValid(hostname.slice(1, -1));
  const last = hostname.replace(/\.$/, '').split('.').at(-1) ?? '';
  return /^(\d+|0x[0-9a-f]*)$/i.test(last) ? ipaddr.IPv4.isValidFourPartDecimal(hostname) : true;
};

/** `host:port` as it stands, without decoding anything. Undefined for every other text. */
export const parseAuthority = (text: string, defaultPort?: number): WebHost | undefined => {
  const [, hostname, port = defaultPort] = authorityText.exec(text) ?? [];
  if (hostname === undefined || port === undefined || Number(port) > 65_535) return undefined;
  return isPlainName(hostname) ? toWebHost(hostname, Number(port)) : undefined;
};

export interface RequestTarget {
  place: WebHost;
  path: string;
}

const absoluteUrl = /^http:\/\/([^/?#]+)([/?][^#]*)?$/;

/** `tunnelled`: the place that a CONNECT before it named. Undefined where request and `Host` do not agree. */
export const readTarget = (
  { url = '', rawHeaders }: { url?: string | undefined; rawHeaders: readonly string[] },
  tunnelled: WebHost | undefined,
): RequestTarget | undefined => {
  const hosts = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() === 'host' ? [rawHeaders[at + 1] ?? ''] : [],
  );
  const said = hosts.length === 1 ? parseAuthority(hosts[0] ?? '', 80) : undefined;
  const [, authority = '', rest = ''] = absoluteUrl.exec(url) ?? [];
  const place = tunnelled ?? parseAuthority(authority, 80);
  if (place === undefined || said?.host !== place.host || said.port !== place.port) return undefined;
  if (tunnelled !== undefined) return url.startsWith('/') ? { place, path: url } : undefined;
  return { place, path: rest.startsWith('/') ? rest : `/${rest}` };
};
