import { join } from 'node:path';

/** The place of the store: Postgres, a file named by `file:` in `url`, else `drawbridge.db` in `dataDir`. */
export interface DatabasePlace {
  url: string | undefined;
  dataDir: string;
}

export const isPostgresUrl = (url: string | undefined): url is string =>
  url !== undefined && /^postgres(?:ql)?:/.test(url);

/** The file of a SQLite store. Throws for a url that no store of ours has. */
export const sqliteFile = ({ url, dataDir }: DatabasePlace): string => {
  if (url === undefined) return join(dataDir, 'drawbridge.db');
  if (url.startsWith('file:')) return url.slice('file:'.length);
  throw new Error(
    'DATABASE_URL names an unsupported store. Leave it empty, or set file:<path> or postgres://<user>:<password>@<host>/<database>',
  );
};

const parsed = (url: string | undefined): URL | null =>
  url !== undefined && URL.canParse(url) ? new URL(url) : null;

/** The password in the url of a store, which no log and no page may show; undefined without one. */
export const passwordOf = (url: string | undefined): string | undefined => {
  const { password = '', searchParams } = parsed(url) ?? {};
  const given = password || (searchParams?.get('password') ?? '');
  try {
    return decodeURIComponent(given) || undefined;
  } catch {
    return given;
  }
};

/** Where a store on Postgres is, without user and password: `host:port/database`. */
export const shownPlace = (url: string): string => {
  const { host = '', pathname = '', searchParams } = parsed(url) ?? {};
  return `${host || (searchParams?.get('host') ?? 'localhost')}${pathname}`;
};
