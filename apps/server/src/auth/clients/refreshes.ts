import { createKeyedQueue } from '@drawbridge/kit';
import type { AuthContext, BetterAuthPlugin } from 'better-auth';
import { z } from 'zod';
import { createSealer } from '../../secrets/index.ts';
import { tokenDigest } from '../digest.ts';
import { clientPrefixes } from './oauth-provider.ts';
import type { RefreshesStore } from './refreshes.store.ts';

/** A request that presents a refresh token, while the account library answers it. */
interface Refresh {
  token: string;
  /** The row of the token, once it was read. */
  rowId: string | undefined;
  outcome: 'none' | 'stored' | 'failed';
  failure: unknown;
}

type Adapter = AuthContext['adapter'];

const tokenRow = z.looseObject({ id: z.string(), rotationReplayResponse: z.string().nullish() });
const answered = z.object({ rotationReplayResponse: z.string() });

/** Only the presented token opens the answer: the store has its digest alone. */
const sealerOf = (token: string) => createSealer(token, 'drawbridge refresh answer');

/**
 * Refreshes of OAuth clients. The account library keeps the answer of each for a minute, encrypted with a
 * key that lies beside the store; here it is sealed with the refresh token that was presented, too.
 */
export const createRefreshes = (store: RefreshesStore) => {
  const queue = createKeyedQueue();
  const byDigest = new Map<string, Refresh>();
  const valueOf = (where: { field: string; value: unknown }[], field: string) =>
    where.find((one) => one.field === field)?.value;

  const sealing = (adapter: Adapter): Adapter => ({
    ...adapter,
    findOne: async <T>(query: Parameters<Adapter['findOne']>[0]): Promise<T | null> => {
      const found = await adapter.findOne<T>(query);
      if (query.model !== 'oauthRefreshToken') return found;
      const refresh = byDigest.get(String(valueOf(query.where, 'token')));
      if (!refresh || typeof found !== 'object' || found === null) return found;
      const row = tokenRow.parse(found);
      refresh.rowId = row.id;
      const sealed = row.rotationReplayResponse;
      return Object.assign(found, {
        rotationReplayResponse: sealed ? sealerOf(refresh.token).unseal(sealed, row.id) : null,
      });
    },
    update: async <T>(query: Parameters<Adapter['update']>[0]): Promise<T | null> => {
      const answer = answered.safeParse(query.update).data?.rotationReplayResponse;
      if (query.model !== 'oauthRefreshToken' || answer === undefined) return adapter.update<T>(query);
      const rowId = valueOf(query.where, 'id');
      const refresh = [...byDigest.values()].find((one) => one.rowId === rowId);
      if (!refresh?.rowId) throw new Error('An answer of a refresh that is not known');
      const update = {
        ...query.update,
        rotationReplayResponse: sealerOf(refresh.token).seal(answer, refresh.rowId),
      };
      try {
        const row = await adapter.update<T>({ ...query, update });
        refresh.outcome = 'stored';
        return row;
      } catch (error) {
        Object.assign(refresh, { outcome: 'failed', failure: error });
        throw error;
      }
    },
  });

  return {
    plugin: {
      id: 'drawbridge-refreshes',
      init: ({ adapter }) => ({ context: { adapter: sealing(adapter) } }),
    } satisfies BetterAuthPlugin,
    /**
     * Runs the request that presents a refresh token, one after the other for the same token. Throws where
     * the answer could not be stored: it must not be sent, as it could not be given again.
     */
    run: (presented: string, send: () => Promise<Response>): Promise<Response> => {
      const token = presented.slice(clientPrefixes.refresh.length);
      const digest = tokenDigest(token);
      return queue.run(digest, async () => {
        await store.undoUnanswered(digest);
        const refresh: Refresh = { token, rowId: undefined, outcome: 'none', failure: undefined };
        byDigest.set(digest, refresh);
        try {
          const response = await send();
          if (refresh.outcome === 'failed') throw refresh.failure;
          if (refresh.outcome === 'stored') await store.endEarlier(digest);
          return response;
        } finally {
          byDigest.delete(digest);
        }
      });
    },
  };
};

export type Refreshes = ReturnType<typeof createRefreshes>;
