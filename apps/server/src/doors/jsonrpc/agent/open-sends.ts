import type { RpcId } from '../../../rpc/index.ts';
import type { Connection } from '../socket/connection.ts';

/** A message of a connection that has not ended. */
interface OpenSend {
  /** Of the request; undefined for a notification. */
  id: RpcId | undefined;
  threadId: string;
  requestId: string;
}

const createOpenSends = () => {
  const open = new Set<OpenSend>();
  return {
    /** The returned function ends it. */
    open: (send: OpenSend): (() => void) => {
      open.add(send);
      return () => void open.delete(send);
    },
    newest: (): OpenSend | undefined => [...open].at(-1),
    byId: (id: RpcId): OpenSend | undefined => [...open].find((send) => send.id === id),
  };
};

const ofConnections = new WeakMap<Connection, ReturnType<typeof createOpenSends>>();

/** The open messages of a connection. */
export const openSendsOf = (connection: Connection) => {
  const known = ofConnections.get(connection) ?? createOpenSends();
  ofConnections.set(connection, known);
  return known;
};
