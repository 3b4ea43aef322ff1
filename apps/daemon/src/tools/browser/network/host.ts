import { hostOf, parseUrl } from '@drawbridge/kit';
import type { Resource } from '../../common/tool.ts';
import { canonicalAddress, classOf } from './address.ts';
import { maxUrlChars } from '../limits.ts';

/** A place on the web as rules know it. */
export interface WebHost {
  /** `example.com`, or with its port where that is neither 80 nor 443: `example.com:8080`. */
  host: string;
  /** Lower case, punycode, without a final dot; IPv6 in brackets. */
  hostname: string;
  port: number;
}

/** The page of a tab that has not been anywhere, in the words that a rule has for it. */
export const blankPage = 'about:blank';

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };

const isName = (hostname: string): boolean => {
  if (hostname.startsWith('[')) return true;
  const labels = hostname.split('.');
  return hostname.length <= 253 && labels.every((label) => label !== '' && label.length <= 63);
};

/** Host and port, in the spelling of rules. Undefined for what no host can be called. */
export const toWebHost = (hostname: string, port: number): WebHost | undefined => {
  const plain = hostname.toLowerCase().replace(/\.$/, '');
  if (!isName(plain)) return undefined;
  return { host: port === 80 || port === 443 ? plain : `${plain}:${port}`, hostname: plain, port };
};

/** Whose page or file an address is; undefined for everything but http, https, ws and wss. */
export const pageHostOf = (text: string): WebHost | undefined => {
  const url = parseUrl(text);
  const defaultPort = url && defaultPorts[url.protocol];
  if (!url || defaultPort === undefined) return undefined;
  const host = hostOf(url.href);
  // `https://host:80` and `http://host:443` are not defaults, and yet the same place as the bare host.
  return host ? toWebHost(host.name, host.port === '' ? defaultPort : Number(host.port)) : undefined;
};

const hasScheme = /^[a-z][a-z0-9+.-]*:/i;

/** A typed address -> the one that is checked and opened; undefined for other schemes and credentials. */
export const parseTyped = (typed: string): string | undefined => {
  if (typed.length > maxUrlChars) return undefined;
  const text = typed.trim();
  if (text === blankPage) return blankPage;
  const url = parseUrl(hasScheme.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const place = pageHostOf(url.href);
  if (!place || url.username !== '' || url.password !== '') return undefined;
  url.hostname = place.hostname;
  return url.href;
};

const localName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;
const noAddresses: ReadonlySet<string> = new Set();

/** Whether the name alone is not public. Its addresses are checked on connection. */
export const looksLocal = ({ hostname }: WebHost): boolean =>
  canonicalAddress(hostname) === undefined
    ? !hostname.includes('.') || localName.test(hostname)
    : classOf(hostname, noAddresses) !== 'public';

export const isNever = ({ hostname }: WebHost): boolean =>
  canonicalAddress(hostname) !== undefined && classOf(hostname, noAddresses) === 'never';

/** What a deny rule may call it: without its port, and an address in its usual spelling. */
const otherNames = ({ host, hostname }: WebHost): string[] =>
  [...new Set([hostname, canonicalAddress(hostname) ?? hostname])].filter((name) => name !== host);

/** A host as the permissions know it; `null` is the empty page. */
export const toHostResource = (place: WebHost | null, description: string): Resource => ({
  toolGroup: 'browser',
  resource: place?.host ?? blankPage,
  description,
  ...(place && otherNames(place).length > 0 && { aliases: otherNames(place) }),
  ...(place && looksLocal(place) && { explicit: true as const }),
});
