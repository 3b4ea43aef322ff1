import { parseUrl } from './parse-url.ts';

/** A host as a browser would ask for it: lower case, punycode, no final dot. `port` is empty for the scheme's own. */
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
 * A host, `host:port` or address -> its host, read as a browser reads it; null for what is none, or has an empty label. One
 * final dot stands for the root; with more of them it is a name that no resolver knows.
 */
export const hostOf = (text: string): Host | null => read(text, /\.$/);

/** For a deny rule: whatever number of final dots, the host that is meant. */
export const meantHostOf = (text: string): Host | null => read(text, /\.+$/);

/** Compared label by label: `a.example.org` is below `example.org`, `aexample.org` is not. */
export const isSubdomain = (name: string, of: string): boolean => of !== '' && name.endsWith(`.${of}`);
