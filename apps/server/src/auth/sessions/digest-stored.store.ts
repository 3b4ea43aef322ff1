import { sql, type Kysely } from 'kysely';
import type { Schema, Store } from '../../db/index.ts';
import type { AuthTables } from '../auth-tables.ts';
import { keyPattern, sessionKeyOf } from './session-key.ts';

/** The sessions that an earlier version has stored with their tokens. */
const plain = (db: Kysely<Schema>) =>
  db
    .withTables<AuthTables>()
    .selectFrom('session')
    .select(['id', 'token'])
    .where('token', 'not like', keyPattern)
    .execute();

/**
 * Replaces tokens of sessions that an earlier version has stored by their digests; who is signed in stays
 * so. Call it after the migrations and before anything reads a session.
 */
export const digestStoredTokens = async ({ db, dialect, changeRights }: Store): Promise<void> => {
  // No version has stored them so on Postgres.
  if (dialect === 'postgres') return;
  if ((await plain(db)).length === 0) return;
  // What SQLite frees is overwritten, so that the file keeps no token.
  await sql`pragma secure_delete = on`.execute(db);
  await changeRights(() =>
    db.transaction().execute(async (trx) => {
      for (const { id, token } of await plain(trx)) {
        const key = sessionKeyOf(token);
        await trx
          .withTables<AuthTables>()
          .updateTable('session')
          .set({ token: key })
          .where('id', '=', id)
          .execute();
        await trx
          .updateTable('pushSubscriptions')
          .set({ session: key })
          .where('session', '=', token)
          .execute();
      }
      // They open a socket within 30 s of an earlier version's answer.
      await trx.deleteFrom('rpcTickets').execute();
    }),
  );
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
};
