import type { Clock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { dialectOf, type Dialect } from './dialect.ts';
import type { Store } from './store.ts';
import { isStoreTrouble } from './store-trouble.ts';

interface WriteCheckNeeds {
  clock: Clock;
  log: { error(what: object, sentence: string): void; info(sentence: string): void };
  db: Store['db'];
}

/** Anyone may ask for `/health`, so the store is tried at most this often. */
const tryEveryMs = 5_000;

/** A number of SQLite's file that is not used; on Postgres a row that is not there. */
const tries = {
  sqlite: sql`pragma user_version = 0`,
  postgres: sql`update "runtimeSettings" set "revision" = "revision" where "id" = ''`,
} as const satisfies Record<Dialect, unknown>;

/** Whether the store can be written, by a write that changes nothing. Logs when that changes. */
export const createWriteCheck = ({ clock, log, db }: WriteCheckNeeds) => {
  let tried: { at: number; isOver: boolean; result: Promise<boolean> } | undefined;
  let failing = false;

  const attempt = async (): Promise<boolean> => {
    try {
      await tries[dialectOf(db)].execute(db);
      if (failing) log.info('the store can be written again');
      failing = false;
    } catch (error) {
      const code = isStoreTrouble(error) ? error.code : undefined;
      if (!failing) log.error({ code }, 'the store cannot be written: calls are refused until it can');
      failing = true;
    }
    return !failing;
  };

  return (): Promise<boolean> => {
    // A slow disk is tried once at a time.
    if (tried !== undefined && (!tried.isOver || clock.now() - tried.at < tryEveryMs)) return tried.result;
    const own = { at: clock.now(), isOver: false, result: attempt() };
    void own.result.then(() => (own.isOver = true));
    tried = own;
    return own.result;
  };
};
