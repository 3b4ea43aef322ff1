import type { Store } from '../../db/index.ts';
import type { AuthTables } from '../auth-tables.ts';

/** The line of tokens that one authorization code began. */
const lineColumns = ['authorizationCodeId', 'clientId', 'userId'] as const;

/** Refresh tokens by the digest that the account library keeps of them. */
export const createRefreshesStore = ({ db, changeRights }: Store) => {
  const auth = db.withTables<AuthTables>();

  return {
    /**
     * Undoes a refresh that ended before its answer was stored, such as when the server was killed. No client
     * has its tokens: the answer is sent after it is stored.
     */
    undoUnanswered: async (digest: string): Promise<void> => {
      const row = await auth
        .selectFrom('oauthRefreshToken')
        .select(['id', ...lineColumns])
        .where('token', '=', digest)
        .where('rotationReplayExpiresAt', 'is not', null)
        .where('rotationReplayResponse', 'is', null)
        .executeTakeFirst();
      if (!row) return;
      await changeRights(() =>
        auth.transaction().execute(async (trx) => {
          const successors = trx
            .selectFrom('oauthRefreshToken')
            .select('id')
            .where('authorizationCodeId', '=', row.authorizationCodeId)
            .where('clientId', '=', row.clientId)
            .where('userId', '=', row.userId)
            .where('revoked', 'is', null);
          // In this order: access tokens name refresh tokens.
          await trx.deleteFrom('oauthAccessToken').where('refreshId', 'in', successors).execute();
          await trx.deleteFrom('oauthRefreshToken').where('id', 'in', successors).execute();
          await trx
            .updateTable('oauthRefreshToken')
            .set({ revoked: null, rotatedAt: null, rotationReplayExpiresAt: null })
            .where('id', '=', row.id)
            .execute();
        }),
      );
    },
    /** Ends the second uses of all tokens of the line before the given one. */
    endEarlier: async (digest: string): Promise<void> => {
      const row = await auth
        .selectFrom('oauthRefreshToken')
        .select(['id', ...lineColumns])
        .where('token', '=', digest)
        .executeTakeFirst();
      if (!row) return;
      await auth
        .updateTable('oauthRefreshToken')
        .set({ rotationReplayResponse: null, rotationReplayExpiresAt: null })
        .where('authorizationCodeId', '=', row.authorizationCodeId)
        .where('clientId', '=', row.clientId)
        .where('userId', '=', row.userId)
        .where('id', '!=', row.id)
        .where('rotationReplayResponse', 'is not', null)
        .execute();
    },
  };
};

export type RefreshesStore = ReturnType<typeof createRefreshesStore>;
