import { toolGroup } from '@drawbridge/contracts';
import { z } from 'zod';
import { prepareQuery, type Slot, type Store } from '../db/index.ts';
import { tokenDigest } from './digest.ts';
import { readable, timeOf } from './readable.ts';

/** Better-auth's tables, as far as a token is read from them. */
type AuthTables = {
  apikey: {
    id: string;
    key: string;
    name: string;
    referenceId: string;
    permissions: string;
    enabled: number | boolean;
    createdAt: string | Date;
    expiresAt: string | Date;
    lastRequest: string | Date | null;
    lastUsedFrom: string | null;
  };
  user: { id: string };
};

/** What a token may use, as better-auth keeps it beside the token. */
const tokenPermissions = z.object({ tools: z.array(toolGroup).min(1) });
const permissionsText = z.string().transform((text) => tokenPermissions.parse(JSON.parse(text)).tools);

const shown = ['id', 'name', 'permissions', 'createdAt', 'expiresAt', 'lastRequest', 'lastUsedFrom'] as const;
type ShownRow = Pick<AuthTables['apikey'], (typeof shown)[number]>;

const read = (row: ShownRow) => ({
  id: row.id,
  name: row.name,
  scopes: permissionsText.parse(row.permissions),
  createdAt: timeOf(row.createdAt),
  expiresAt: timeOf(row.expiresAt),
  lastUsedAt: row.lastRequest === null ? null : timeOf(row.lastRequest),
  lastUsedFrom: row.lastUsedFrom,
});

/** Times in milliseconds since 1970. */
export type StoredToken = ReturnType<typeof read>;

/** A row that cannot be read counts as one that is not there. */
export interface TokensStore {
  /** The token with its user, who must be there; also one that has expired. */
  byToken(token: string): Promise<(StoredToken & { userId: string }) | undefined>;
  /** Newest first, also those that have expired. */
  ofUser(userId: string): Promise<StoredToken[]>;
  /** Those of the ids that name a token that is switched on, of a user who is there. */
  known(ids: string[]): Promise<{ id: string; expiresAt: number }[]>;
  used(id: string, use: { at: number; from: string | null }): Promise<void>;
  /** False when the user has no token of that id. */
  remove(userId: string, id: string): Promise<boolean>;
  removeAll(userId: string): Promise<void>;
}

export const createTokensStore = ({ db, remember }: Store): TokensStore => {
  const auth = db.withTables<AuthTables>();
  const ofDigest = prepareQuery((slot: Slot<{ digest: string }>) =>
    auth
      .selectFrom('apikey')
      .innerJoin('user', 'user.id', 'apikey.referenceId')
      .select(['apikey.referenceId as userId', 'enabled', ...shown.map((name) => `apikey.${name}` as const)])
      .where('key', '=', slot('digest')),
  );
  const byDigest = remember(async (digest: string) => {
    const [row] = (await db.executeQuery(ofDigest({ digest }))).rows;
    return row?.enabled ? readable(() => ({ ...read(row), userId: row.userId })) : undefined;
  });
  const own = (userId: string) => auth.deleteFrom('apikey').where('referenceId', '=', userId);

  return {
    byToken: (token) => byDigest(tokenDigest(token)),
    ofUser: async (userId) => {
      const rows = await auth
        .selectFrom('apikey')
        .select(shown)
        .where('referenceId', '=', userId)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .execute();
      return rows.flatMap((row) => readable(() => read(row)) ?? []);
    },
    known: async (ids) => {
      const rows = await auth
        .selectFrom('apikey')
        .innerJoin('user', 'user.id', 'apikey.referenceId')
        .select(['apikey.id', 'apikey.expiresAt', 'apikey.enabled'])
        .where('apikey.id', 'in', ids)
        .execute();
      return rows.flatMap(({ id, enabled, expiresAt }) =>
        enabled ? (readable(() => ({ id, expiresAt: timeOf(expiresAt) })) ?? []) : [],
      );
    },
    used: async (id, { at, from }) => {
      await auth
        .updateTable('apikey')
        .set({ lastRequest: new Date(at).toISOString(), lastUsedFrom: from })
        .where('id', '=', id)
        .execute();
    },
    remove: async (userId, id) =>
      (await own(userId).where('id', '=', id).executeTakeFirst()).numDeletedRows > 0,
    removeAll: async (userId) => void (await own(userId).execute()),
  };
};
