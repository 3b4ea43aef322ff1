import type { LaneRequest } from '@drawbridge/agent';
import { createKeyedQueue } from '@drawbridge/kit';
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
}

const createOpenSends = () => {
  const open = new Set<OpenSend>();
  const order = createKeyedQueue();
  return {
    /** Accepts a message after those of its session that came before. */
    open: ({ id, sessionId }: Named, accept: () => Promise<Accepted>) => {
      const accepted = order.run(sessionId, accept);
      const send = { id, sessionId, accepted: accepted.catch(() => null) };
      open.add(send);
      return { accepted, close: () => void open.delete(send) };
    },
    /** The message with that id, or the newest (of that session, if given), once it is accepted. */
    find: async ({ id, sessionId }: Partial<Named>) => {
      const isMeant = (send: OpenSend) =>
        id === undefined ? sessionId === undefined || send.sessionId === sessionId : send.id === id;
      for (const send of [...open].reverse().filter(isMeant)) {
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
