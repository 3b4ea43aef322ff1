import type { Clock } from '@drawbridge/kit';
import type { Config } from '../../config.ts';
import { isPostgresUrl } from '../../db/index.ts';
import { errors } from '../../errors.ts';

interface Needs {
  config: Pick<Config, 'databaseUrl' | 'redisUrl'>;
  clock: Clock;
  onError(error: unknown): void;
}

/**
 * Keeps servers that do not know of each other off one Postgres: a server without `REDIS_URL` runs alone. The
 * returned function ends the lock. Throws `dataFolderInUse`. For SQLite the lock of the data folder does it.
 */
export const lockStore = async ({ config, ...needs }: Needs): Promise<() => Promise<void>> => {
  const { databaseUrl: url, redisUrl } = config;
  if (!isPostgresUrl(url)) return () => Promise.resolve();
  const mode = redisUrl === undefined ? 'alone' : 'several';
  // Its client is loaded with the store.
  const { lockServers } = await import('../../db/postgres/server-lock.ts');
  const release = await lockServers({ ...needs, url, mode });
  if (release !== null) return release;
  throw errors.dataFolderInUse({
    message: 'Another server uses the database of DATABASE_URL',
    fix: 'Stop it, or set REDIS_URL and the same SECRET for all servers of this database.',
  });
};
