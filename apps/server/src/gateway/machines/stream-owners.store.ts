import type { CompiledQuery, Kysely } from 'kysely';
import type { Clock } from '@drawbridge/kit';
import { dialectOf, OutdatedError, type Commit, type Schema } from '../../db/index.ts';
import { revised } from './revised.store.ts';

/** The newest stream of a machine. */
export interface StreamOwner {
  stream: number;
  serverId: string | null;
}

/** A stream that has closed, and until when another one may follow. */
export interface ClosedStream {
  stream: number;
  lastSeenAt: number;
  graceUntil: number;
}

/** A grace that is over, of the last stream of that epoch, as the server of that id sees it. */
export interface EndedGrace {
  epoch: number;
  stream: number;
  serverId: string;
  lastSeenAt: number;
}

/**
 * Streams of machines as rows: what one server does is seen by the others, and an older stream changes
 * nothing.
 */
export const createStreamOwners = (db: Kysely<Schema>, commit: Commit, clock: Clock) => {
  const changes = (query: CompiledQuery): Promise<boolean> =>
    commit([{ query, rows: 1 }], 'kept').then(
      () => true,
      (error: unknown) => {
        if (error instanceof OutdatedError) return false;
        throw error;
      },
    );
  /** After the calls that are being stored on its former stream. */
  const lockedRow = (id: string) => db.selectFrom('machines').select('id').where('id', '=', id).forUpdate();
  const update = () => db.updateTable('machines').set(revised(clock.now()));
  return {
    /** The machine has a new stream on that server; false if its epoch or its stream has changed since. */
    attach: (id: string, { epoch, stream, serverId }: StreamOwner & { epoch: number }): Promise<boolean> =>
      changes(
        update()
          .set({ stream, serverId, lastSeenAt: null, graceUntil: null })
          .where('id', '=', dialectOf(db) === 'postgres' ? lockedRow(id) : id)
          .where('epoch', '=', epoch)
          .where('stream', '=', stream - 1)
          .compile(),
      ),
    /** That stream has closed; false if a newer one was opened. */
    detach: (id: string, { stream, ...closed }: ClosedStream): Promise<boolean> =>
      changes(
        update()
          .set({ serverId: null, ...closed })
          .where('id', '=', id)
          .where('stream', '=', stream)
          .compile(),
      ),
    /** The same for every connected machine, before any stream is open. */
    detachAll: async (lastSeenAt: number) => {
      const detached = update()
        .set(({ fn, ref, val }) => ({
          serverId: null,
          lastSeenAt: fn.coalesce(ref('lastSeenAt'), val(lastSeenAt)),
        }))
        .where('connectedAt', 'is not', null);
      await commit([detached.compile()], 'kept');
    },
    /** No stream came in time after that one; false if a stream or another daemon did. */
    expire: (id: string, { epoch, stream, serverId, lastSeenAt }: EndedGrace): Promise<boolean> =>
      changes(
        update()
          .set({ connectedAt: null, serverId: null, graceUntil: null, lastSeenAt })
          .where('id', '=', id)
          .where('epoch', '=', epoch)
          .where('stream', '=', stream)
          .where((where) => where.or([where('serverId', 'is', null), where('serverId', '=', serverId)]))
          .compile(),
      ),
  };
};
