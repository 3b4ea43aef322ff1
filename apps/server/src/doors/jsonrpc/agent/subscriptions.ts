import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { errors } from '../../../errors.ts';
import type { Connection } from '../socket/connection.ts';

const ofConnections = new WeakMap<Connection, Map<string, AbortController>>();

/** The threads that a connection follows. Each ends with the connection. */
export const subscriptionsOf = (connection: Connection) => {
  const open = ofConnections.get(connection) ?? new Map<string, AbortController>();
  ofConnections.set(connection, open);
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
      connection.onClosed(() => ending.abort());
      return ending.signal;
    },
    end,
  };
};
