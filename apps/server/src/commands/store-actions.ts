import { resolve } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { openAccounts } from '../compose/open-accounts.ts';
import type { Config } from '../config.ts';
import { isPostgresUrl, lockFolder, openStore, sqliteFile } from '../db/index.ts';
import { errors } from '../errors.ts';
import { requireStore } from './with-accounts.ts';

interface Needs {
  config: Config;
  cwd: string;
  print(text: string): void;
  note(text: string): void;
}

/** The commands on the store as a whole. Each throws `notAvailable` where it is not on SQLite. */
export const createStoreActions = ({ config, cwd, print, note }: Needs) => {
  const place = { url: config.databaseUrl, dataDir: config.dataDir };
  const requireSqlite = () => {
    if (!isPostgresUrl(config.databaseUrl)) return;
    throw errors.notAvailable({
      message: 'The store is on Postgres, and this command is for SQLite',
      fix: 'Back up the database with pg_dump, and auth-secret of the data folder with it: see docs/day-two.md.',
    });
  };
  const openOnce = async (needs: Partial<Config>) => {
    const staged = { ...config, ...needs, logLevel: 'warn' as const };
    const { close } = await openAccounts({ config: staged, clock: systemClock, writeLog: note });
    await close();
  };

  return {
    backUp: async (folder: string) => {
      requireSqlite();
      requireStore(config.dataDir);
      const { backUp } = await import('../backup/index.ts');
      const target = resolve(cwd, folder);
      backUp(place, target);
      note('Protect the backup like passwords: it gives access to every account.\n');
      print(`${target}\n`);
    },
    restore: async (folder: string) => {
      requireSqlite();
      const { restore } = await import('../backup/index.ts');
      const lock = lockFolder(config.dataDir);
      try {
        const upgrade = (dataDir: string) => openOnce({ dataDir, databaseUrl: undefined });
        const { aside, compared } = await restore(
          { place, clock: systemClock, upgrade },
          resolve(cwd, folder),
        );
        print(`Restored ${resolve(cwd, folder)} to ${config.dataDir}\n`);
        if (aside !== null) note(`The former store is in ${aside}\n`);
        note('All sessions have ended; users must sign in again. Open calls of the backup have ended.\n');
        if (!compared)
          note(
            'There was no former store to compare with: access tokens, clients, machines and webhooks that were revoked after the backup work again. Revoke them in the panel.\n',
          );
      } finally {
        lock.release();
      }
    },
    copyStore: async (to: string) => {
      requireSqlite();
      requireStore(config.dataDir);
      const { copyStore } = await import('../backup/index.ts');
      const lock = lockFolder(config.dataDir);
      try {
        for (const databaseUrl of [config.databaseUrl, to]) await openOnce({ databaseUrl });
        const target = await openStore({ url: to, dataDir: config.dataDir });
        const onProgress = (table: string, rows: number) => note(`${table}: ${rows} rows\n`);
        try {
          const copied = await copyStore({ file: sqliteFile(place), target, onProgress });
          const rows = copied.reduce((sum, table) => sum + table.rows, 0);
          print(`Copied ${rows} rows of ${copied.length} tables\n`);
        } finally {
          await target.close();
        }
        note('Start the server with the new DATABASE_URL and the same DATA_DIR, which has its secret.\n');
      } finally {
        lock.release();
      }
    },
  };
};
