import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** Messages that are read at once. */
const readAtOnce = 500;

/** A question of a server, and what its client sends to that server by way of another one. */
export const createClientMessagesStore = (db: Kysely<Schema>) => ({
  /** Adds a question, with `body` null, or a message; the row of a name that is there stays. */
  add: async (row: Schema['clientMessages']) => {
    await db
      .insertInto('clientMessages')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  },
  /** False where no question of that name waits for its answer. */
  answer: async ({ name, ...answered }: Schema['clientMessages']): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('clientMessages')
      .set(answered)
      .where('name', '=', name)
      .where('body', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  /** Deletes a message and gives its body; null without one, such as after another server has taken it. */
  take: async (name: string): Promise<string | null> => {
    const row = await db
      .deleteFrom('clientMessages')
      .where('name', '=', name)
      .where('body', 'is not', null)
      .returning('body')
      .executeTakeFirst();
    return row?.body ?? null;
  },
  /** The names of messages that were not taken. */
  waiting: async (): Promise<string[]> => {
    const rows = await db
      .selectFrom('clientMessages')
      .select('name')
      .where('body', 'is not', null)
      .orderBy('endsAt', 'desc')
      .limit(readAtOnce)
      .execute();
    return rows.map(({ name }) => name);
  },
  remove: async (name: string) => {
    await db.deleteFrom('clientMessages').where('name', '=', name).execute();
  },
  removeEnded: async (at: number) => {
    await db.deleteFrom('clientMessages').where('endsAt', '<=', at).execute();
  },
});

export type ClientMessagesStore = ReturnType<typeof createClientMessagesStore>;
