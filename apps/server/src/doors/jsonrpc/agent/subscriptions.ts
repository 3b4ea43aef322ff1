import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { errors } from '../../../errors.ts';
import type { Connection } from '../socket/connection.ts';

const createSubscriptions = (connection: Connection) => {
  const open = new Map<string, AbortController>();
  connection.onClosed(() => {
    for (const ending of open.values()) ending.abort();
  });
  const end = (threadId: string): boolean => {
    open.get(threadId)?.abort();
    return open.delete(threadId);
  };
  return {
    /** Replaces an earlier one of the same thread. Throws `tooManyRequests` beyond 20. */
    add: (threadId: string): AbortSignal => {
      end(threadId);
      if (open.size >= rpcLimits.subscriptions) throw errors.tooManyRequests();
      const ending = new AbortController();
      open.set(threadId, ending);
      if (connection.signal.aborted) ending.abort();
      return ending.signal;
    },
    end,
  };
};

type Subscriptions = ReturnType<typeof createSubscriptions>;

const ofConnections = () => {
  const all = new WeakMap<Connection, Subscriptions>();
  return (connection: Connection): Subscriptions => {
    const known = all.get(connection) ?? createSubscriptions(connection);
    all.set(connection, known);
    return known;
  };
};

/** The threads that a connection follows. Each ends with the connection. */
export const subscriptionsOf = ofConnections();

/** The threads whose questions a connection shows. Each ends with the connection. */
export const callbacksOf = ofConnections();
