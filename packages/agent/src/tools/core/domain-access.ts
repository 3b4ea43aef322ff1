import { hostOf, meantHostOf, parseUrl } from '@drawbridge/kit';
import { agentLimits } from '../../rows/limits.ts';

const maxPlainLength = 512;

/** What a person should know of an address that the model wants to fetch. */
export type AccessWarning = 'long' | 'data' | 'unnamed' | 'encoded-host' | 'many';

export const accessWarningWords = {
  long: `The address is longer than ${maxPlainLength} characters.`,
  data: 'The address looks as if it carries data.',
  unnamed: 'You have not named this host in this conversation.',
  'encoded-host': 'The host is written in letters of another script; this is its encoded form.',
  many: `This run has fetched ${agentLimits.unaskedAddresses} addresses unasked, or long ones.`,
} as const satisfies Record<AccessWarning, string>;

export interface AccessTarget {
  /** The whole address, as it is fetched. */
  url: string;
  /** In punycode, without a final dot and a port. */
  host: string;
  warnings: AccessWarning[];
}

export const allHostsGrant = 'fetch-url:*';
export const hostGrant = (host: string): string => `fetch-url:${host}`;

/** A value this long says more than an ordinary parameter. */
const maxValueLength = 128;
const maxLabelLength = 32;

/** Hex digits, or base64 with letters of both cases and digits. `least`: its length in characters. */
const isEncoded = (text: string, least: number): boolean =>
  text
    .split(/[^A-Za-z0-9+/_=-]+/)
    .some(
      (run) =>
        run.length >= least &&
        (/^[0-9a-f]+$/i.test(run) || (/[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run))),
    );

const isPercentCoded = (query: string): boolean => {
  const escapes = query.match(/%[0-9a-f]{2}/gi)?.length ?? 0;
  return escapes >= 10 && escapes * 3 > query.length / 3;
};

const looksLikeData = ({ search, pathname, hostname }: URL): boolean => {
  const values = search.slice(1).split(/[&=;]/);
  return (
    isPercentCoded(search) ||
    isPercentCoded(pathname) ||
    values.some((value) => value.length > maxValueLength || isEncoded(value, 32)) ||
    // A path may hold the hash of a commit, which has 40 digits.
    pathname.split('/').some((segment) => segment.length > 2 * maxValueLength || isEncoded(segment, 48)) ||
    hostname.split('.').some((label) => !label.startsWith('xn--') && label.length > maxLabelLength)
  );
};

/** Whether one of the person's texts has the host as a word of its own, in any spelling. */
export const isNamed = (host: string, texts: readonly string[]): boolean =>
  texts.some((text) =>
    text
      .split(/[^\p{L}\p{M}\p{N}._-]+/u)
      .some((word) => word.includes('.') && meantHostOf(word)?.name === host),
  );

/** Null for what is no address of the web. `texts`: what the person wrote in this conversation. */
export const readTarget = (address: string, texts: readonly string[]): AccessTarget | null => {
  const url = parseUrl(address);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  const host = hostOf(url.href)?.name;
  if (host === undefined) return null;
  const checks: readonly (readonly [AccessWarning, boolean])[] = [
    ['long', url.href.length > maxPlainLength],
    ['data', looksLikeData(url)],
    ['unnamed', !isNamed(host, texts)],
    ['encoded-host', /(^|\.)xn--/.test(host)],
  ];
  const warnings = checks.flatMap(([warning, applies]) => (applies ? [warning] : []));
  return { url: url.href, host, warnings };
};

/**
 * Whether the fetch is allowed unasked. A grant covers one host and none of its sub-domains; no grant covers
 * an address with data, and the one for all hosts only those that the person named.
 */
export const isGranted = ({ host, warnings }: AccessTarget, grants: ReadonlySet<string>): boolean => {
  if (warnings.includes('long') || warnings.includes('data')) return false;
  return grants.has(hostGrant(host)) || (grants.has(allHostsGrant) && !warnings.includes('unnamed'));
};
