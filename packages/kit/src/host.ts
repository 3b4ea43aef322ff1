import { parseUrl } from './parse-url.ts';

/** A host as a browser resolves it: lower case, punycode, no final dot. A default `port` is empty. */
export interface Host {
  name: string;
  port: string;
}

const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i;

const read = (text: string, root: RegExp): Host | null => {
  const url = parseUrl(hasScheme.test(text) ? text : `https://${text}`);
  if (!url) return null;
  const { hostname, port } = url;
  const name = hostname.replace(root, '');
  return name.split('.').includes('') ? null : { name, port };
};

/**
 * The host of a host, `host:port` or URL, parsed like a browser; null for any other text or an empty label.
 * One final dot is the root; a name with more of them does not resolve.
 */
export const hostOf = (text: string): Host | null => read(text, /\.$/);

/** For a deny rule: ignores any number of final dots. */
export const meantHostOf = (text: string): Host | null => read(text, /\.+$/);

/** Compared label by label: `a.example.org` is below `example.org`, `aexample.org` is not. */
export const isSubdomain = (name: string, of: string): boolean => of !== '' && name.endsWith(`.${of}`);
