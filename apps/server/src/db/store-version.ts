import { endOfTurn } from '@drawbridge/kit';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

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

  const counted = (statement: SqliteStatement): SqliteStatement => {
    const counting =
      <Given, Result>(run: (given: Given) => Result) =>
      (given: Given) => {
        version += 1;
        return run(given);
      };
    return {
      reader: statement.reader,
      all: counting((given: readonly unknown[]) => statement.all(given)),
      run: counting((given: readonly unknown[]) => statement.run(given)),
      iterate: counting((given: readonly unknown[]) => statement.iterate(given)),
    };
  };

  return {
    database: {
      prepare: (text) => {
        const statement = database.prepare(text);
        return changesNoRights.test(text) ? statement : counted(statement);
      },
      close: () => database.close(),
    },
    version: () => {
      if (!looked) lookAtOthers();
      return version;
    },
  };
};
