import { hostOf, parseUrl } from '@drawbridge/kit';
import { canonicalAddress, classOf } from './address.ts';

/** A place on the web as rules know it. */
export interface WebHost {
  /** `example.com`, or with its port where that is neither 80 nor 443: `example.com:8080`. */
  host: string;
  /** Lower case, punycode, without a final dot; IPv6 in brackets. */
  hostname: string;
  port: number;
}

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
export const otherNames = ({ host, hostname }: WebHost): string[] =>
  [...new Set([hostname, canonicalAddress(hostname) ?? hostname])].filter((name) => name !== host);
