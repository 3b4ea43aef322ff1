import type { CompiledQuery, Kysely } from 'kysely';
import { OutdatedError, type Commit, type Schema } from '../../db/index.ts';
import type { MachinesStore } from './machines.store.ts';

/** A statement takes a bounded number of values. */
const readAtOnce = 500;

/** Streams of machines as rows: what one server does is seen by the others, and an older stream changes nothing. */
export const createStreamOwners = (
  db: Kysely<Schema>,
  commit: Commit,
): Pick<MachinesStore, 'attach' | 'detach' | 'expire' | 'owners'> => {
  const changes = (query: CompiledQuery): Promise<boolean> =>
    commit([{ query, rows: 1 }], 'kept').then(
      () => true,
      (error: unknown) => {
        if (error instanceof OutdatedError) return false;
        throw error;
      },
    );
  return {
    attach: (id, { epoch, stream, serverId }) =>
      changes(
        db
          .updateTable('machines')
          .set({ stream, serverId, lastSeenAt: null })
          .where('id', '=', id)
          .where('epoch', '=', epoch)
          .where('stream', '=', stream - 1)
          .compile(),
      ),
    detach: (id, { stream, lastSeenAt }) =>
      changes(
        db
          .updateTable('machines')
          .set({ serverId: null, lastSeenAt })
          .where('id', '=', id)
          .where('stream', '=', stream)
          .compile(),
      ),
    expire: (id, { stream, serverId, lastSeenAt }) =>
      changes(
        db
          .updateTable('machines')
          .set({ connectedAt: null, serverId: null, lastSeenAt })
          .where('id', '=', id)
          .where('stream', '=', stream)
          .where((where) => where.or([where('serverId', 'is', null), where('serverId', '=', serverId)]))
          .compile(),
      ),
    owners: async (ids) => {
      const rows = [];
      for (let from = 0; from < ids.length; from += readAtOnce)
        rows.push(
          ...(await db
            .selectFrom('machines')
            .select(['id', 'epoch', 'stream', 'serverId', 'connectedAt'])
            .where('id', 'in', ids.slice(from, from + readAtOnce))
            .execute()),
        );
      return rows;
    },
  };
};
