import { tokenScopes } from '@drawbridge/contracts/tokens';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { prepareQuery, type Slot, type Store } from '../../db/index.ts';
import { tokenDigest } from '../digest.ts';
import { readable, timeOf } from '../readable.ts';
import type { AuthTables } from '../auth-tables.ts';

/** What a token may use, as better-auth keeps it beside the token. */
const tokenPermissions = z.object({ tools: tokenScopes, machines: z.array(z.string()).optional() });
const permissionsText = z.string().transform((text) => tokenPermissions.parse(JSON.parse(text)));

/** SQLite wants a limit where there is an offset. */
const forgottenAtOnce = 10_000;
/** So many revoked tokens of a user are remembered. */
const maxRevoked = 200;

const shown = ['id', 'name', 'permissions', 'createdAt', 'expiresAt', 'lastRequest', 'lastUsedFrom'] as const;
type ShownRow = Pick<AuthTables['apikey'], (typeof shown)[number]>;

const read = (row: ShownRow) => {
  const { tools, machines } = permissionsText.parse(row.permissions);
  return {
    id: row.id,
    name: row.name,
    scopes: tools,
    ...(machines && { machines }),
    createdAt: timeOf(row.createdAt),
    expiresAt: timeOf(row.expiresAt),
    lastUsedAt: row.lastRequest === null ? null : timeOf(row.lastRequest),
    lastUsedFrom: row.lastUsedFrom,
  };
};

/** Times in milliseconds since 1970. */
export type StoredToken = ReturnType<typeof read>;

/** Deletes the revoked tokens of a user, all but the newest. */
const forgetOldest = (auth: Kysely<AuthTables>, userId: string) => {
  const revoked = auth
    .selectFrom('apikey')
    .select('id')
    .where('referenceId', '=', userId)
    .where('enabled', '=', 0)
    .orderBy('createdAt', 'desc')
    .limit(forgottenAtOnce)
    .offset(maxRevoked);
  return auth.deleteFrom('apikey').where('id', 'in', revoked).execute();
};

/** What changes rights, which are read again by all that keep them. */
const tokenChanges = ({ db, changeRights }: Pick<Store, 'db' | 'changeRights'>) => {
  const auth = db.withTables<AuthTables>();
  const revoke = (userId: string) =>
    auth
      .updateTable('apikey')
      .set({ enabled: 0, lastUsedFrom: null })
      .where('referenceId', '=', userId)
      .where('enabled', '=', 1);
  return {
    /** Deletes one that was never handed out. */
    discard: async (userId: string, id: string) =>
      void (await changeRights(() =>
        auth.deleteFrom('apikey').where('referenceId', '=', userId).where('id', '=', id).execute(),
      )),
    /** False for an unknown id. */
    update: (
      userId: string,
      id: string,
      { name, permissions }: { name: string; permissions: z.input<typeof tokenPermissions> },
    ): Promise<boolean> =>
      changeRights(async () => {
        const { numUpdatedRows } = await auth
          .updateTable('apikey')
          .set({ name, permissions: JSON.stringify(permissions) })
          .where('referenceId', '=', userId)
          .where('id', '=', id)
          .where('enabled', '=', 1)
          .executeTakeFirst();
        return numUpdatedRows > 0;
      }),
    /** Keeps the digest until the token's expiry, to report the revocation. False for an unknown id. */
    revoke: (userId: string, id: string): Promise<boolean> =>
      changeRights(async () => {
        const { numUpdatedRows } = await revoke(userId).where('id', '=', id).executeTakeFirst();
        await forgetOldest(auth, userId);
        return numUpdatedRows > 0;
      }),
    revokeAll: (userId: string) =>
      changeRights(async () => {
        await revoke(userId).execute();
        await forgetOldest(auth, userId);
      }),
  };
};

/** A row that cannot be read counts as one that is not there. */
export const createTokensStore = ({ db, cacheRows, changeRights }: Store) => {
  const auth = db.withTables<AuthTables>();
  const ofDigest = prepareQuery((slot: Slot<{ digest: string }>) =>
    auth
      .selectFrom('apikey')
      .innerJoin('user', 'user.id', 'apikey.referenceId')
      .select(['apikey.referenceId as userId', 'enabled', ...shown.map((name) => `apikey.${name}` as const)])
      .where('key', '=', slot('digest'))
      .where('user.disabledAt', 'is', null),
  );
  const byDigest = cacheRows(async (digest: string) => {
    const [row] = (await db.executeQuery(ofDigest({ digest }))).rows;
    return row?.enabled ? readable(() => ({ ...read(row), userId: row.userId })) : undefined;
  });
  return {
    /** The token with its user, who must be there and not disabled; also one that has expired. */
    byToken: (token: string): Promise<(StoredToken & { userId: string }) | undefined> =>
      byDigest(tokenDigest(token)),
    /**
     * Why a token of this server is refused; null for other texts. Of a disabled account, also a valid one.
     */
    endOf: async (token: string): Promise<{ revoked: boolean; expiresAt: number } | null> => {
      const row = await auth
        .selectFrom('apikey')
        .select(['enabled', 'expiresAt'])
        .where('key', '=', tokenDigest(token))
        .executeTakeFirst();
      if (row === undefined) return null;
      return readable(() => ({ revoked: !row.enabled, expiresAt: timeOf(row.expiresAt) })) ?? null;
    },
    /** Newest first, also those that have expired; without those that were revoked. */
    ofUser: async (userId: string): Promise<StoredToken[]> => {
      const rows = await auth
        .selectFrom('apikey')
        .select(shown)
        .where('referenceId', '=', userId)
        .where('enabled', '=', 1)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .execute();
      return rows.flatMap((row) => readable(() => read(row)) ?? []);
    },
    /** Those of the ids that name a token that is switched on, of a user who is there. */
    known: async (
      ids: string[],
    ): Promise<Pick<StoredToken, 'id' | 'expiresAt' | 'scopes' | 'machines'>[]> => {
      const rows = await auth
        .selectFrom('apikey')
        .innerJoin('user', 'user.id', 'apikey.referenceId')
        .select(['enabled', ...shown.map((name) => `apikey.${name}` as const)])
        .where('apikey.id', 'in', ids)
        .where('user.disabledAt', 'is', null)
        .execute();
      return rows.flatMap((row) => (row.enabled ? (readable(() => read(row)) ?? []) : []));
    },
    used: async (id: string, { at, from }: { at: number; from: string | null }) => {
      await auth
        .updateTable('apikey')
        .set({ lastRequest: new Date(at).toISOString(), lastUsedFrom: from })
        .where('id', '=', id)
        .execute();
    },
    ...tokenChanges({ db, changeRights }),
  };
};

export type TokensStore = ReturnType<typeof createTokensStore>;
