import type { Gateway } from '../../../gateway/index.ts';
import type { RpcId } from '../../../rpc/index.ts';
import type { ClientKey } from '../elicitation/client-requests.ts';

/** Requests that are being answered, for a client that cancels one with a notification. */
export const createInFlight = ({ clientMessages }: Pick<Gateway, 'clientMessages'>) => {
  const nameOf = ({ callerId, session }: ClientKey, id: RpcId) =>
    JSON.stringify(['mcp request', callerId, session, id]);

  return {
    /** `cancel` aborts the request; call the returned function when it has been answered. */
    add: (client: ClientKey, id: RpcId, cancel: () => void): (() => void) =>
      clientMessages.onCancelled(nameOf(client, id), cancel),
    /**
     * Resolves once the request is cancelled, or its server will be told. Without a session several clients
     * of one token may use one id: then none of them is cancelled.
     */
    cancel: async (client: ClientKey, id: RpcId) => {
      const name = nameOf(client, id);
      const isOne = client.session !== null || clientMessages.countCancellable(name) === 1;
      if (isOne) await clientMessages.cancel(name);
    },
  };
};

export type InFlight = ReturnType<typeof createInFlight>;
