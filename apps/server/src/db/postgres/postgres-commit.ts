import type { CompiledQuery } from 'kysely';
import { isExpected } from '../sqlite/batch-transaction.ts';
import { OutdatedError, type Commit, type Durability, type Write } from '../write.ts';
import { isConflict, isOutdatedPlan } from './pg-error.ts';
import type { LentSession, Pool } from './pool.ts';
import type { SharedSessions } from './shared-sessions.ts';

interface Needs {
  pool: Pool;
  shared: Record<'synced' | 'lazy', SharedSessions>;
}

/** How often a transaction that was in the way of another one is tried again. */
const mostRetries = 3;

const queryOf = (write: Write): CompiledQuery => ('rows' in write ? write.query : write);
const levelOf = (durability: Durability) =>
  durability === 'lazy' || durability === 'trailing' ? 'lazy' : 'synced';
const begin = { synced: 'begin', lazy: 'begin; set local synchronous_commit = off' } as const;

/** All statements are on their way before the first one has ended: two round trips. */
const sendAll = async (session: LentSession, writes: readonly Write[], durability: Durability) => {
  const results = await Promise.allSettled([
    session.query(begin[levelOf(durability)]),
    ...writes.map((write) => {
      const { sql, parameters } = queryOf(write);
      return session.query(sql, parameters);
    }),
  ]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const changed = results.slice(1).map((result) => ('value' in result ? result.value.rowCount : 0));
  if (writes.some((write, at) => !isExpected(write, changed[at] ?? 0))) throw new OutdatedError();
};

/** Runs the writes; each single one that needs no transaction goes over a connection that others use too. */
export const createPostgresCommit = ({ pool, shared }: Needs): Commit => {
  const inTransaction = async (writes: readonly Write[], durability: Durability) => {
    const session = await pool.connect();
    try {
      await sendAll(session, writes, durability);
      await session.query('commit');
      session.release();
    } catch (error) {
      const isOver = await session.query('rollback').then(
        () => true,
        () => false,
      );
      session.release(!isOver);
      throw error;
    }
  };

  const alone = async (write: Write, durability: Durability) => {
    const { sql, parameters } = queryOf(write);
    const { rowCount } = await shared[levelOf(durability)].query(sql, parameters);
    if (!isExpected(write, rowCount)) throw new OutdatedError();
  };

  return async (writes, durability) => {
    const [only, second] = writes;
    if (!only) return;
    for (let tries = 0; ; tries += 1) {
      try {
        return await (second ? inTransaction(writes, durability) : alone(only, durability));
      } catch (error) {
        if (tries >= mostRetries || !(isConflict(error) || isOutdatedPlan(error))) throw error;
      }
    }
  };
};
