import type { Clock } from '@drawbridge/kit';
import type { SqliteDatabase } from 'kysely';
import { beforeEachRun, wrapStatements } from './before-each-run.ts';

/** Statements that change nothing, and those of every call that do not change anyone's rights. */
const changesNoRights =
  /^(?:(?:select|pragma|begin|commit|savepoint|release)\b|(?:insert into|update|delete from) "(?:calls|confirmations|callRepeats|agent(?!Settings)\w+)")/i;

/** How long a change of another process may go unnoticed. */
const lookEveryMs = 500;

export interface CountedDatabase {
  database: SqliteDatabase;
  /**
   * Changes after each write, except those to calls, confirmations, idempotency rows and the agent's rows:
   * at once for our own, within half a second for those of other processes.
   */
  version(): number;
  /** Changes after another process has changed the store, within half a second. */
  others(): number;
}

/** Counts our own statements that change the store, and other connections' by SQLite's `data_version`. */
export const countChanges = (
  database: SqliteDatabase,
  { clock, dataVersion }: { clock: Clock; dataVersion(): unknown },
): CountedDatabase => {
  let version = 0;
  let others = 0;
  let seen = dataVersion();
  let lookedAt = clock.now();

  const lookAtOthers = () => {
    const now = clock.now();
    if (Math.abs(now - lookedAt) < lookEveryMs) return;
    const current = dataVersion();
    if (current !== seen) {
      version += 1;
      others += 1;
    }
    seen = current;
    lookedAt = now;
  };

  const count = () => {
    version += 1;
  };

  return {
    database: wrapStatements(database, (statement, text) =>
      changesNoRights.test(text) ? statement : beforeEachRun(statement, count),
    ),
    version: () => {
      lookAtOthers();
      return version;
    },
    others: () => {
      lookAtOthers();
      return others;
    },
  };
};
