import type { LaneRequest } from '@drawbridge/agent';
import { createKeyedQueue } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';
import type { NamedSession } from '../../../agent/index.ts';
import type { RpcId } from '../../../rpc/index.ts';
import type { Connection } from '../socket/connection.ts';

/** A message that waits or runs, or the answer to a command. */
type Accepted = { session: NamedSession } & ({ request: LaneRequest } | { answer: string });

interface Named {
  /** Of the request; undefined for a notification. */
  id: RpcId | undefined;
  sessionId: string;
}

/** A message of a connection that has not ended. */
interface OpenSend extends Named {
  accepted: Promise<Accepted | null>;
  /** Ends what is done before it is accepted, or once its run has ended; null where that is nothing. */
  stop: (() => void) | null;
}

/** Work that `agent.cancel` ends: the signal aborts with `cancelled`. */
type Stoppable = <Value>(work: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;

const createOpenSends = () => {
  const open = new Set<OpenSend>();
  const order = createKeyedQueue();
  /** The newest first. */
  const meant = ({ id, sessionId }: Partial<Named>) =>
    [...open]
      .reverse()
      .filter((send) =>
        id === undefined ? sessionId === undefined || send.sessionId === sessionId : send.id === id,
      );
  return {
    /** Accepts a message after those of its session that came before. */
    open: ({ id, sessionId }: Named, accept: (stoppable: Stoppable) => Promise<Accepted>) => {
      const stoppable: Stoppable = async (work) => {
        const ending = new AbortController();
        send.stop = () => ending.abort(errors.cancelled());
        try {
          return await work(ending.signal);
        } finally {
          send.stop = null;
        }
      };
      const accepted = order.run(sessionId, () => accept(stoppable));
      const send: OpenSend = { id, sessionId, accepted: accepted.catch(() => null), stop: null };
      open.add(send);
      return { accepted, stoppable, close: () => void open.delete(send) };
    },
    /** How many it stopped before they were accepted: of a session, else the one that `find` gives. */
    stop: (named: Partial<Named>): number => {
      const all = named.sessionId === undefined ? meant(named).slice(0, 1) : meant(named);
      return all.filter(({ stop }) => {
        stop?.();
        return stop !== null;
      }).length;
    },
    /** The message with that id, or the newest (of that session, if given), once it is accepted. */
    find: async (named: Partial<Named>) => {
      for (const send of meant(named)) {
        const accepted = await send.accepted;
        if (accepted && 'request' in accepted) return accepted;
      }
      return undefined;
    },
  };
};

const ofConnections = new WeakMap<Connection, ReturnType<typeof createOpenSends>>();

/** The open messages of a connection. */
export const openSendsOf = (connection: Connection) => {
  const known = ofConnections.get(connection) ?? createOpenSends();
  ofConnections.set(connection, known);
  return known;
};
