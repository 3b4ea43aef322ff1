import type { CompiledQuery, Kysely } from 'kysely';
import { inParts, OutdatedError, type Commit, type Schema } from '../../db/index.ts';

/** The newest stream of a machine. */
export interface StreamOwner {
  stream: number;
  serverId: string | null;
}

/**
 * Streams of machines as rows: what one server does is seen by the others, and an older stream changes
 * nothing.
 */
export const createStreamOwners = (db: Kysely<Schema>, commit: Commit) => {
  const changes = (query: CompiledQuery): Promise<boolean> =>
    commit([{ query, rows: 1 }], 'kept').then(
      () => true,
      (error: unknown) => {
        if (error instanceof OutdatedError) return false;
        throw error;
      },
    );
  return {
    /** The machine has a new stream on that server; false if its epoch or its stream has changed since. */
    attach: (id: string, { epoch, stream, serverId }: StreamOwner & { epoch: number }): Promise<boolean> =>
      changes(
        db
          .updateTable('machines')
          .set({ stream, serverId, lastSeenAt: null })
          .where('id', '=', id)
          .where('epoch', '=', epoch)
          .where('stream', '=', stream - 1)
          .compile(),
      ),
    /** That stream has closed; false if a newer one was opened. */
    detach: (id: string, { stream, lastSeenAt }: { stream: number; lastSeenAt: number }): Promise<boolean> =>
      changes(
        db
          .updateTable('machines')
          .set({ serverId: null, lastSeenAt })
          .where('id', '=', id)
          .where('stream', '=', stream)
          .compile(),
      ),
    /** The same for every connected machine, before any stream is open. */
    detachAll: async (lastSeenAt: number) => {
      const detached = db
        .updateTable('machines')
        .set(({ fn, ref, val }) => ({
          serverId: null,
          lastSeenAt: fn.coalesce(ref('lastSeenAt'), val(lastSeenAt)),
        }))
        .where('connectedAt', 'is not', null);
      await commit([detached.compile()], 'kept');
    },
    /** No stream came in time after that one; false if one did, or another server has it. */
    expire: (
      id: string,
      { stream, serverId, lastSeenAt }: { stream: number; serverId: string; lastSeenAt: number },
    ): Promise<boolean> =>
      changes(
        db
          .updateTable('machines')
          .set({ connectedAt: null, serverId: null, lastSeenAt })
          .where('id', '=', id)
          .where('stream', '=', stream)
          .where((where) => where.or([where('serverId', 'is', null), where('serverId', '=', serverId)]))
          .compile(),
      ),
    /** The same facts of several machines, to see which of them another server has changed. */
    owners: (
      ids: readonly string[],
    ): Promise<(StreamOwner & { id: string; epoch: number; connectedAt: number | null })[]> =>
      inParts(ids, (part) =>
        db
          .selectFrom('machines')
          .select(['id', 'epoch', 'stream', 'serverId', 'connectedAt'])
          .where('id', 'in', part)
          .execute(),
      ),
  };
};
