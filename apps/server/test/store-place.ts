import { existsSync } from 'node:fs';
import { inject, it } from 'vitest';
import { createFakeClock, systemClock, type Clock, type FakeClock } from '@drawbridge/kit';
import { openStore, type OpenDatabase } from '../src/db/index.ts';
import { createRights } from '../src/db/rights.ts';
import { createOthersChanged } from '../src/db/sqlite/others-changed.ts';
import { createDatabases } from './postgres/databases.ts';
import { queriesEnded } from './postgres/in-flight.ts';

/** Whether the stores of this run are on Postgres: the project `postgres` runs tests of the server again. */
export const onPostgres = inject('postgres') !== undefined;

/** A test of what only SQLite has: its file, its own SQL, what stands in a column against its type. */
export const itOnSqlite: typeof it = onPostgres ? Object.assign(() => {}, it) : it;

const databases = createDatabases({ isUsed: existsSync });

/** The url of the store of a data folder; undefined for its own file. */
export const storeUrl = (dataDir: string): string | undefined =>
  onPostgres ? databases.urlOf(dataDir) : undefined;

/** Gives a new data folder an empty store, whose tables `make` makes where there are none yet. */
export const prepareStore = async (dataDir: string, make: (dataDir: string) => Promise<void>) => {
  if (onPostgres) await databases.assign(dataDir, make);
};

/** A store on Postgres by its url: its connections cost more than most tests. */
const opened = new Map<string, Promise<OpenDatabase>>();

const openOnce = async (url: string, dataDir: string, clock = systemClock): Promise<OpenDatabase> => {
  const known = opened.get(url) ?? openStore({ url, dataDir });
  opened.set(url, known);
  const othersChanged = createOthersChanged(clock, () => Symbol('another'));
  return {
    ...(await known),
    ...createRights(othersChanged),
    othersChanged,
    close: async () => void (await queriesEnded()),
  };
};

/** Opens the store of a data folder, also beside a server. */
export const openTestStore = async (dataDir: string, clock?: Clock): Promise<OpenDatabase> => {
  const url = storeUrl(dataDir);
  return url === undefined ? openStore({ url, dataDir }, clock) : openOnce(url, dataDir, clock);
};

/** A clock whose `settle` waits for the store, too. */
export const createStoreClock = (startMs?: number): FakeClock =>
  onPostgres ? createFakeClock(startMs, queriesEnded) : createFakeClock(startMs);
