import type { Clock } from '@drawbridge/kit';
import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely';
import pg from 'pg';
import { createRights } from '../rights.ts';
import { shownPlace } from '../place.ts';
import type { Schema } from '../schema.ts';
import type { OpenDatabase } from '../store.ts';
import { whileAlone } from './migration-lock.ts';
import { createPool, type Pool } from './pool.ts';
import { createPostgresCommit } from './postgres-commit.ts';
import { createOthersChanged } from '../sqlite/others-changed.ts';
import { connectionOf } from './connection-url.ts';
import { createSharedSessions } from './shared-sessions.ts';
import { createStatementNames } from './statement-names.ts';
import { textsAsBytes } from './texts-as-bytes.ts';

/** Connections of one server: for transactions and reads, and of each kind for single writes. */
const sizes = { pool: 8, shared: 2, migrating: 3 } as const;

/** Only the last one acts while Postgres itself stands still. */
const timeouts = {
  statement_timeout: 3_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 5_000,
  query_timeout: 4_000,
};
const idleTimeoutMillis = 60_000;

/** `int8` and `numeric`: no number of ours is beyond 2^53. */
const numbers = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    numbers.has(oid) && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
};

const kyselyOn = (pool: Pool) =>
  // Kysely asks no session for a cursor: no query of ours is streamed.
  new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });

const timeOf = async (db: Kysely<Schema>): Promise<number> => {
  const { rows } = await sql<{ now: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000) as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('Postgres does not say its time');
  return row.now;
};

/** Throws a sentence that says where the store is and why it cannot be opened. */
const requireReachable = async (pool: Pool, url: string): Promise<void> => {
  try {
    (await pool.connect()).release();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    // Of several addresses that refuse, Node gives no message.
    const reason = cause.message || ('code' in cause ? String(cause.code) : 'no connection');
    throw new Error(`The store ${shownPlace(url)} of DATABASE_URL cannot be opened: ${reason}`, { cause });
  }
};

/** Opens a store on Postgres; connects when it is first used. Throws for an invalid url, which it hides. */
export const openPostgres = (url: string, clock: Clock): OpenDatabase => {
  const { connection: place, waitMs } = connectionOf(url);
  const connection = { ...place, types, keepAlive: true };
  // There is no number that tells of other servers: each look counts as a change.
  const othersChanged = createOthersChanged(clock, () => Symbol('another'));
  const names = createStatementNames();
  const config = { ...connection, ...timeouts, idleTimeoutMillis, pipeline: true };
  const pool = createPool({ names, waitMs, config: { ...config, max: sizes.pool } });
  const lazily = [connection.options, '-c synchronous_commit=off'].filter(Boolean).join(' ');
  const shared = {
    synced: createSharedSessions({ names, waitMs, config, size: sizes.shared }),
    lazy: createSharedSessions({ names, waitMs, config: { ...config, options: lazily }, size: sizes.shared }),
  };
  const db = kyselyOn(pool);

  return {
    db,
    dialect: 'postgres',
    commit: createPostgresCommit({ pool, shared }),
    ...createRights(othersChanged),
    othersChanged,
    connections: pool.connections,
    now: () => timeOf(db),
    readTime: () => sql<number>`floor(extract(epoch from statement_timestamp()) * 1000)`,
    whileMigrating: async (run) => {
      const migrating = createPool({ names, waitMs, config: { ...connection, max: sizes.migrating } });
      const unlimited = kyselyOn(migrating).withPlugin(textsAsBytes);
      try {
        await requireReachable(migrating, url);
        return await whileAlone(migrating, () => run(unlimited));
      } finally {
        await unlimited.destroy();
      }
    },
    close: async () => {
      await pool.idle();
      await Promise.all([shared.synced.end(), shared.lazy.end(), db.destroy()]);
    },
  };
};
