import { endOfTurn } from '@drawbridge/kit';
import type { SqliteDatabase } from 'kysely';
import { beforeEachRun } from './before-each-run.ts';

/** What changes nothing, and what is written with every call but names nobody's rights. */
const changesNoRights =
  /^(?:(?:select|pragma|begin|commit|savepoint|release)\b|(?:insert into|update|delete from) "(?:calls|confirmations|callRepeats)")/i;

export interface WatchedDatabase {
  database: SqliteDatabase;
  /**
   * Another number after each change; of our own writes those to calls, confirmations and their repeats do not count. Other
   * processes are looked at once a turn of the event loop, for all requests that came with it.
   */
  version(): number;
}

/** Counts what changes the store: our own statements, and what SQLite knows of other connections by its `data_version`. */
export const watchWrites = (database: SqliteDatabase, dataVersion: () => unknown): WatchedDatabase => {
  let version = 0;
  let seen = dataVersion();

  let looked = false;
  const lookAtOthers = () => {
    const now = dataVersion();
    if (now !== seen) version += 1;
    seen = now;
    looked = true;
    void endOfTurn().then(() => {
      looked = false;
    });
  };

  const count = () => {
    version += 1;
  };

  return {
    database: {
      prepare: (text) => {
        const statement = database.prepare(text);
        return changesNoRights.test(text) ? statement : beforeEachRun(statement, count);
      },
      close: () => database.close(),
    },
    version: () => {
      if (!looked) lookAtOthers();
      return version;
    },
  };
};
