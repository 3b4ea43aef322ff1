import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

/** Whose threads are meant: all of a user, or those of one token, by its namespace of session names. */
export interface Whose {
  userId: string;
  principal: string | null;
}

/** The ids of the threads of one namespace. */
export const threadsOf = (db: Kysely<Schema>, { userId, principal }: Whose) =>
  db
    .selectFrom('rpcSessions')
    .select('threadId')
    .where('userId', '=', userId)
    .where('principal', '=', principal ?? '');
