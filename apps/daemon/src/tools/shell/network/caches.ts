import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { removeTree } from '@drawbridge/kit/node';

/** Variables of package tools, and the folder of each in the kept one. */
const variables = {
  npm_config_cache: 'npm',
  npm_config_store_dir: 'pnpm',
  YARN_CACHE_FOLDER: 'yarn',
  PIP_CACHE_DIR: 'pip',
  UV_CACHE_DIR: 'uv',
  CARGO_HOME: 'cargo',
  GOPATH: 'go',
  GOCACHE: 'go-build',
  XDG_CACHE_HOME: 'others',
  COREPACK_HOME: 'corepack',
  NUGET_PACKAGES: 'nuget',
  GRADLE_USER_HOME: 'gradle',
  MAVEN_OPTS: 'maven',
};

/** What a variable is set to for its folder. */
const valueOf = (variable: string, path: string): string =>
  variable === 'MAVEN_OPTS' ? `-Dmaven.repo.local=${path}` : path;

const maxBytes = 5 * 1024 ** 3;

/** Below the user's cache folder: where the caches of all shared folders are kept. */
export const cachesIn = (base: string): string => join(base, 'drawbridge', 'shell');

/** npm warns of pnpm's setting at each start; Maven splits a path at its blanks. */
const isLeftOut = (command: string, variable: string, path: string): boolean =>
  variable === 'npm_config_store_dir'
    ? /\b(npm|npx)\b/.test(command) && !/pnpm|corepack/.test(command)
    : variable === 'MAVEN_OPTS' && /\s/.test(path);

interface CachedCommand {
  root: string;
  hasNetwork: boolean;
  /** Its text. */
  command: string;
}

/**
 * The caches of one shared folder, which its commands alone see and write; the user's own are never written.
 * Without network only what an earlier command with network has filled is used.
 */
export const openCaches = (base: string, { root, hasNetwork, command }: CachedCommand) => {
  const folder = join(cachesIn(base), createHash('sha256').update(root).digest('hex').slice(0, 32));
  if (hasNetwork) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(folder)) return { mounts: [], environment: {} };
  const used = Object.entries(variables)
    .map(([variable, name]): [string, string] => [variable, join(folder, name)])
    .filter(([variable, path]) => (hasNetwork || existsSync(path)) && !isLeftOut(command, variable, path))
    .map(([variable, path]) => [variable, valueOf(variable, path)]);
  return { mounts: ['--bind', folder, folder], environment: Object.fromEntries(used) };
};

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });

/** Bytes of the files below a folder; links are not followed. */
const bytesOf = async (folder: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      bytes += (await lstat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  return bytes;
};

interface Cache {
  path: string;
  bytes: number;
  changedAt: number;
}

/** Each cache of one tool and one shared folder. */
const listCaches = async (base: string): Promise<Cache[]> => {
  const roots = (await namesIn(cachesIn(base))).map((name) => join(cachesIn(base), name));
  const paths = await Promise.all(
    roots.map(async (root) => (await namesIn(root)).map((name) => join(root, name))),
  );
  return Promise.all(
    paths.flat().map(async (path) => {
      const { mtimeMs } = await lstat(path);
      return { path, bytes: await bytesOf(path), changedAt: mtimeMs };
    }),
  );
};

/** Bytes of all caches. */
export const sizeOfCaches = async (base: string): Promise<number> =>
  (await listCaches(base)).reduce((sum, { bytes }) => sum + bytes, 0);

export const clearCaches = async (base: string): Promise<void> => {
  for (const name of await namesIn(cachesIn(base))) await removeTree(join(cachesIn(base), name));
};

/** Removes the caches that were not written to for the longest time, until all have at most `most` bytes. */
export const trimCaches = async (base: string, most = maxBytes): Promise<void> => {
  const caches = (await listCaches(base)).toSorted((a, b) => a.changedAt - b.changedAt);
  let bytes = caches.reduce((sum, cache) => sum + cache.bytes, 0);
  for (const cache of caches) {
    if (bytes <= most) return;
    await removeTree(cache.path);
    bytes -= cache.bytes;
  }
};
