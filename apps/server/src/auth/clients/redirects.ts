import { parseUrl } from '@drawbridge/kit';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Redirect addresses, matched exactly, whose scheme is no reversed domain name (RFC 8252, 7.1): any
 * program can claim one. See https://github.com/better-auth/better-auth/issues/10946.
 */
const programs: ReadonlySet<string> = new Set(['cursor://anysphere.cursor-mcp/oauth/callback']);

export const isKnownProgram = (redirect: string): boolean => programs.has(redirect);

const urlOf = (text: string): URL | null => parseUrl(text) ?? null;

/** An address is matched as it stands: a `*` in it is a mistake, or an attempt to have more than one. */
export const hasWildcard = (redirect: string): boolean =>
  redirect.includes('*') || urlOf(redirect)?.host.includes('*') === true;

/** The same address without its port, where it is a program on the person's own machine (RFC 8252, 7.3). */
const withoutPort = (text: string): string | null => {
  const url = urlOf(text);
  if (url?.protocol !== 'http:' || !loopbackNames.has(url.hostname)) return null;
  url.port = '';
  return url.href;
};

/** Whether a client may redirect there: an exact match, except for the port of a program on this machine. */
export const registeredRedirect = (registered: readonly string[], asked: string): boolean => {
  if (registered.includes(asked)) return true;
  const bare = withoutPort(asked);
  return bare !== null && registered.some((one) => withoutPort(one) === bare);
};

/** Where an answer goes: a site, or a program on the machine of the browser. */
export const redirectHost = (redirect: string): { host: string; goesTo: 'site' | 'app' } => {
  const url = urlOf(redirect);
  if (url?.protocol === 'https:') return { host: url.host, goesTo: 'site' };
  if (url?.protocol === 'http:') return { host: url.hostname, goesTo: 'app' };
  return { host: url?.protocol ?? '', goesTo: 'app' };
};
