import { createTransientMap } from '@drawbridge/kit';
import type { RpcId } from '../../../rpc/index.ts';
import type { ClientKey } from '../elicitation/client-requests.ts';

/** Requests that are being answered, for a client that cancels one with a notification. */
export const createInFlight = () => {
  const requests = createTransientMap<string, Set<() => void>>();
  const keyOf = ({ callerId, session }: ClientKey, id: RpcId) => JSON.stringify([callerId, session, id]);

  return {
    /** `cancel` aborts the request; call the returned function when it has been answered. */
    add: (client: ClientKey, id: RpcId, cancel: () => void): (() => void) => {
      const key = keyOf(client, id);
      const same = requests.get(key) ?? new Set();
      requests.set(key, same.add(cancel));
      return () => {
        same.delete(cancel);
        if (same.size === 0 && requests.get(key) === same) requests.delete(key);
      };
    },
    /** Without a session several clients of one token may use one id: then none of them is cancelled. */
    cancel: (client: ClientKey, id: RpcId) => {
      const same = requests.get(keyOf(client, id));
      if (same && (client.session !== null || same.size === 1)) for (const cancel of [...same]) cancel();
    },
  };
};

export type InFlight = ReturnType<typeof createInFlight>;
