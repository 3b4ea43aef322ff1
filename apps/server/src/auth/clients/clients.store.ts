import { prepareQuery, type Slot, type Store } from '../../db/index.ts';
import {
  codeText,
  readClient,
  readConsent,
  readGrant,
  timeOrNull,
  type StoredClient,
  type StoredConsent,
  type StoredGrant,
} from './client-rows.ts';
import type { AuthTables } from '../auth-tables.ts';
import { tokenDigest } from '../digest.ts';
import { readable, timeOf } from '../readable.ts';

/** A row that cannot be read counts as one that is not there. */
export const createClientsStore = ({ db, cacheRows, changeRights }: Store) => {
  const auth = db.withTables<AuthTables>();
  const clientColumns = [
    'oauthClient.clientId',
    'oauthClient.clientDiscoveryId',
    'oauthClient.name',
    'oauthClient.redirectUris',
  ] as const;

  const agreed = () =>
    auth
      .selectFrom('oauthAccessToken as token')
      .innerJoin('oauthClient as client', 'client.clientId', 'token.clientId')
      .innerJoin('oauthConsent as consent', (join) =>
        join.onRef('consent.clientId', '=', 'token.clientId').onRef('consent.userId', '=', 'token.userId'),
      )
      .innerJoin('user', 'user.id', 'token.userId')
      .where('user.disabledAt', 'is', null)
      .where('token.revoked', 'is', null)
      // A token that is bound to a key of its holder would have to come with a proof, which no door asks for.
      .where('token.confirmation', 'is', null)
      .where((where) => where.or([where('client.disabled', 'is', null), where('client.disabled', '=', 0)]));

  const ofDigest = prepareQuery((slot: Slot<{ digest: string }>) =>
    agreed()
      .select([
        'token.id as grantId',
        'consent.id as consentId',
        'token.clientId',
        'token.userId',
        'client.name',
        'token.scopes as tokenScopes',
        'consent.scopes as consentScopes',
        'token.resources',
        'consent.machines',
        'token.expiresAt',
      ])
      .where('token.token', '=', slot('digest')),
  );
  const byDigest = cacheRows(async (digest: string): Promise<StoredGrant | undefined> => {
    const [row] = (await db.executeQuery(ofDigest({ digest }))).rows;
    if (!row) return undefined;
    return readable(() => readGrant(row));
  });

  return {
    byId: async (clientId: string): Promise<StoredClient | undefined> => {
      const row = await auth
        .selectFrom('oauthClient')
        .select(clientColumns)
        .where('clientId', '=', clientId)
        .executeTakeFirst();
      return row && readable(() => readClient(row));
    },
    /**
     * The token, given without its prefix; also an expired one. Not one that is revoked or has no consent.
     */
    byToken: (token: string): Promise<StoredGrant | undefined> => byDigest(tokenDigest(token)),
    /** Newest first. */
    ofUser: async (userId: string): Promise<StoredConsent[]> => {
      const rows = await auth
        .selectFrom('oauthConsent')
        .innerJoin('oauthClient', 'oauthClient.clientId', 'oauthConsent.clientId')
        .select([
          ...clientColumns,
          'oauthConsent.scopes',
          'oauthConsent.createdAt as connectedAt',
          'oauthConsent.lastUsedAt',
          'oauthConsent.lastUsedFrom',
          'oauthConsent.machines',
        ])
        .where('oauthConsent.userId', '=', userId)
        .orderBy('oauthConsent.createdAt', 'desc')
        .orderBy('oauthConsent.id')
        .execute();
      return rows.flatMap((row) => readable(() => readConsent(row)) ?? []);
    },
    /**
     * The given tokens that hold, of connected clients, each with the end of its grant by any refresh token.
     * A token replaced after `since` counts: its successor may not be stored yet.
     */
    known: async (grantIds: string[], since: number): Promise<{ id: string; expiresAt: number }[]> => {
      const rows = await agreed()
        .leftJoin('oauthRefreshToken as refresh', (join) =>
          join
            .onRef('refresh.authorizationCodeId', '=', 'token.authorizationCodeId')
            .onRef('refresh.clientId', '=', 'token.clientId')
            .onRef('refresh.userId', '=', 'token.userId')
            .on((on) =>
              on.or([
                on('refresh.revoked', 'is', null),
                on('refresh.rotatedAt', '>=', new Date(since).toISOString()),
              ]),
            ),
        )
        .select(['token.id', 'token.expiresAt', 'refresh.expiresAt as refreshedUntil'])
        .where('token.id', 'in', grantIds)
        .execute();
      const read = ({ id, expiresAt, refreshedUntil }: (typeof rows)[number]) => ({
        id,
        expiresAt: Math.max(timeOf(expiresAt), timeOrNull(refreshedUntil) ?? 0),
      });
      return rows.flatMap((row) => readable(() => read(row)) ?? []);
    },
    used: async (consentId: string, { at, from }: { at: number; from: string | null }) => {
      await auth
        .updateTable('oauthConsent')
        .set({ lastUsedAt: new Date(at).toISOString(), lastUsedFrom: from })
        .where('id', '=', consentId)
        .execute();
    },
    /** The machines that a consent names; null for all of the user. */
    setMachines: async (
      { userId, clientId }: { userId: string; clientId: string },
      machines: readonly string[] | null,
    ) => {
      await changeRights(() =>
        auth
          .updateTable('oauthConsent')
          .set({ machines: machines === null ? null : JSON.stringify(machines) })
          .where('userId', '=', userId)
          .where('clientId', '=', clientId)
          .execute(),
      );
    },
    /** Takes a user's consent, tokens and codes of a client, or of all; false when there was no consent. */
    remove: (userId: string, clientId: string | null): Promise<boolean> =>
      changeRights(() =>
        auth.transaction().execute(async (trx) => {
          // In this order: access tokens name refresh tokens.
          for (const table of ['oauthAccessToken', 'oauthRefreshToken'] as const) {
            let tokens = trx.deleteFrom(table).where('userId', '=', userId);
            if (clientId !== null) tokens = tokens.where('clientId', '=', clientId);
            await tokens.execute();
          }
          const codes = await trx
            .selectFrom('verification')
            .select(['id', 'value'])
            .where('value', 'like', '{"type":"authorization_code"%')
            .execute();
          const own = codes.filter(({ value }) => {
            const code = readable(() => codeText.parse(value));
            return code?.userId === userId && (clientId === null || code.query.client_id === clientId);
          });
          if (own.length > 0)
            await trx
              .deleteFrom('verification')
              .where(
                'id',
                'in',
                own.map(({ id }) => id),
              )
              .execute();
          let consents = trx.deleteFrom('oauthConsent').where('userId', '=', userId);
          if (clientId !== null) consents = consents.where('clientId', '=', clientId);
          return (await consents.executeTakeFirst()).numDeletedRows > 0;
        }),
      ),
    setRedirects: async (clientId: string, redirectUris: string[]) => {
      await changeRights(() =>
        auth
          .updateTable('oauthClient')
          .set({ redirectUris: JSON.stringify(redirectUris) })
          .where('clientId', '=', clientId)
          .execute(),
      );
    },
    /** Deletes the oldest self-registered clients without a consent, except the newest `keep`. */
    forgetUnconnected: async (keep: number) => {
      const connected = auth.selectFrom('oauthConsent').select('clientId');
      const used = auth.selectFrom('oauthRefreshToken').select('clientId');
      const given = auth.selectFrom('oauthAccessToken').select('clientId');
      const old = auth
        .selectFrom('oauthClient')
        .select('id')
        .where('clientId', 'not in', connected)
        .where('clientId', 'not in', used)
        .where('clientId', 'not in', given)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .offset(keep)
        .limit(10_000);
      await changeRights(() => auth.deleteFrom('oauthClient').where('id', 'in', old).execute());
    },
  };
};

export type ClientsStore = ReturnType<typeof createClientsStore>;
