import type { Clock } from '@drawbridge/kit';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** The release of Postgres, and how far its clock is ahead of this machine's, in milliseconds. */
export const readPostgres = async (db: Kysely<Schema>, clock: Clock) => {
  const before = clock.now();
  const { rows } = await sql<{ version: string; now: Date }>`
    select current_setting('server_version') as version, clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('Postgres does not say its version');
  return { version: row.version, offsetMs: row.now.getTime() - (before + clock.now()) / 2 };
};
