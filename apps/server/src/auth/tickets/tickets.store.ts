import type { Schema, Store } from '../../db/index.ts';

type StoredTicket = Schema['rpcTickets'];

export const createTicketsStore = ({ db }: Pick<Store, 'db'>) => ({
  /** Stores a ticket, and deletes those that have expired; false where there is one with its digest. */
  add: async (ticket: StoredTicket, now: number): Promise<boolean> => {
    await db.deleteFrom('rpcTickets').where('expiresAt', '<=', now).execute();
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('rpcTickets')
      .values(ticket)
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  },
  /** Deletes the ticket and returns it: of two that try at once, one gets it. */
  take: async (digest: string): Promise<StoredTicket | undefined> => {
    const ticket = await db
      .selectFrom('rpcTickets')
      .selectAll()
      .where('digest', '=', digest)
      .executeTakeFirst();
    if (!ticket) return undefined;
    const { numDeletedRows } = await db
      .deleteFrom('rpcTickets')
      .where('digest', '=', digest)
      .executeTakeFirst();
    return numDeletedRows === 1n ? ticket : undefined;
  },
});

export type TicketsStore = ReturnType<typeof createTicketsStore>;
