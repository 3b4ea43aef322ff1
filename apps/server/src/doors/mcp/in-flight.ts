import type { RpcId } from './json-rpc.ts';

/** Where a request's id counts: ids of one token and session are one client's. */
export interface Whose {
  accessId: string;
  session: string | null;
}

/** Requests that are being answered, for a client that takes one back with a notification. */
export interface InFlight {
  /** `cancel` aborts the request; call the returned function when it has been answered. */
  add(whose: Whose, id: RpcId, cancel: () => void): () => void;
  /** Without a session several clients of one token may use one id: then none of them is taken back. */
  cancel(whose: Whose, id: RpcId): void;
}

export const createInFlight = (): InFlight => {
  const requests = new Map<string, Set<() => void>>();
  const keyOf = ({ accessId, session }: Whose, id: RpcId) => JSON.stringify([accessId, session, id]);

  return {
    add: (whose, id, cancel) => {
      const key = keyOf(whose, id);
      const same = requests.get(key) ?? new Set();
      requests.set(key, same.add(cancel));
      return () => {
        same.delete(cancel);
        if (same.size === 0 && requests.get(key) === same) requests.delete(key);
      };
    },
    cancel: (whose, id) => {
      const same = requests.get(keyOf(whose, id));
      if (same && (whose.session !== null || same.size === 1)) for (const cancel of [...same]) cancel();
    },
  };
};
