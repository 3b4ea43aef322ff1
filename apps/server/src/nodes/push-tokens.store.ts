import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

type Row = Schema['nodePushTokens'];

/** A stored push token as it may be shown. */
export type PushToken = Pick<Row, 'nodeId' | 'provider' | 'preview'>;
export type SealedPushToken = Pick<Row, 'nodeId' | 'provider' | 'sealed'>;

/** SQLite wants a limit where there is an offset. */
const trimmedAtOnce = 10_000;

/** Push tokens of companions, encrypted by the caller. */
export const createPushTokensStore = (db: Kysely<Schema>) => ({
  put: async (row: Row) => {
    const { userId: _user, nodeId: _node, ...columns } = row;
    await db
      .insertInto('nodePushTokens')
      .values(row)
      .onConflict((conflict) => conflict.columns(['userId', 'nodeId']).doUpdateSet(columns))
      .execute();
  },
  ofUser: async (userId: string): Promise<PushToken[]> =>
    db
      .selectFrom('nodePushTokens')
      .select(['nodeId', 'provider', 'preview'])
      .where('userId', '=', userId)
      .orderBy('updatedAt', 'desc')
      .orderBy('nodeId')
      .execute(),
  sealedOfUser: (userId: string): Promise<SealedPushToken[]> =>
    db
      .selectFrom('nodePushTokens')
      .select(['nodeId', 'provider', 'sealed'])
      .where('userId', '=', userId)
      .execute(),
  /** Nothing where the node has set another one meanwhile. */
  remove: async (userId: string, { nodeId, sealed }: Pick<Row, 'nodeId' | 'sealed'>) => {
    await db
      .deleteFrom('nodePushTokens')
      .where('userId', '=', userId)
      .where('nodeId', '=', nodeId)
      .where('sealed', '=', sealed)
      .execute();
  },
  /** Keeps the newest of a user. */
  trim: async (userId: string, most: number) => {
    const oldest = db
      .selectFrom('nodePushTokens')
      .select('nodeId')
      .where('userId', '=', userId)
      .orderBy('updatedAt', 'desc')
      .orderBy('nodeId')
      .limit(trimmedAtOnce)
      .offset(most);
    await db
      .deleteFrom('nodePushTokens')
      .where('userId', '=', userId)
      .where('nodeId', 'in', oldest)
      .execute();
  },
});

export type PushTokensStore = ReturnType<typeof createPushTokensStore>;
