import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import { sleep, systemClock } from '@drawbridge/kit';
import type { History } from './history.ts';
import type { Servers } from './servers/start-servers.ts';
import type { User } from './user.ts';

export interface Token {
  text: string;
  /** How the history calls it. */
  number: number;
}

/** Tokens and keys in hands that should have none: who tries what, and what the server says. */
export interface Keys {
  /** A pairing token, or undefined when the server did not give one. A session that stands is ended first. */
  newToken(user: User): Promise<Token | undefined>;
  /** Disconnects in the panel; true if the server acknowledged it. `key` is the key that ends with it. */
  end(user: User, key: string | undefined): Promise<boolean>;
  /** Several strangers pair with one token at the same time; at most one may get in. */
  race(user: User): Promise<void>;
  tryToken(token: Token): Promise<void>;
  /** Tries every route of the daemon with a key. */
  tryKey(key: string): Promise<void>;
}

const strangers = 10;
const requestId = 'a-request-that-is-not-there';

/** For so long requests pile up before servers that are held still; then they read them all at once. */
const pileUpMs = 200;

const bodyAt = (path: string): unknown => {
  if (path === daemonSurface.responses.path) return { responses: [{ requestId, error: 'none' }] };
  return path.startsWith('/response') ? { error: 'none' } : { rootPath: '/nowhere', tools: [] };
};

export const createKeys = (servers: Pick<Servers, 'url' | 'all'>, history: History): Keys => {
  const base = servers.url + daemonMounts.bare;
  const tokens = new Map<string, number>();
  const keys = new Map<string, number>();

  const numberOf = (known: Map<string, number>, text: string): number => {
    const number = known.get(text) ?? known.size + 1;
    known.set(text, number);
    return number;
  };

  /** The status, or undefined when nothing came back. */
  const ask = async (key: string, method: string, path: string): Promise<number | undefined> => {
    const body = bodyAt(path);
    try {
      const response = await fetch(base + path, {
        method,
        headers: { [gatewayKeyHeader]: key, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  };

  const tryToken = async ({ text, number }: Token) => {
    const status = await ask(text, 'POST', daemonSurface.init.path);
    if (status !== undefined) history.note({ type: 'token-tried', token: number, taken: status === 200 });
  };

  const disconnect = (user: User) =>
    user.person.api.gateway.disconnect.mutate().then(
      () => true,
      () => false,
    );

  const newToken = async (user: User): Promise<Token | undefined> => {
    const link = await user.person.api.gateway.createLink.mutate().catch(() => undefined);
    if (link === undefined) return undefined;
    return { text: link.token, number: numberOf(tokens, link.token) };
  };

  return {
    newToken,
    end: async (user, key) => {
      const ended = await disconnect(user);
      if (ended && key !== undefined) history.note({ type: 'key-ended', key: numberOf(keys, key) });
      return ended;
    },
    race: async (user) => {
      const token = await newToken(user);
      if (!token) return;
      const releases = servers.all.map((server) => server.hold());
      const tries = Array.from({ length: strangers }, () => tryToken(token));
      await sleep(systemClock, pileUpMs);
      for (const release of releases) release();
      await Promise.all(tries);
    },
    tryToken,
    tryKey: async (key) => {
      const number = numberOf(keys, key);
      for (const { method, path } of Object.values(daemonSurface)) {
        const status = await ask(key, method, path.replace(':requestId', requestId));
        if (status !== undefined) history.note({ type: 'key-tried', key: number, path, status });
      }
    },
  };
};
