import { clientLimits } from '@drawbridge/contracts/clients';
import { sleep, type Clock } from '@drawbridge/kit';
import type { Store } from '../db/index.ts';
import type { AuthTables } from './auth-tables.ts';

interface ExpiredNeeds {
  store: Store;
  clock: Clock;
  log: { info(what: object, sentence: string): void };
}

/** The tables with rows that expire. */
type Expiring = 'session' | 'invitation' | 'passwordReset' | 'oauthAccessToken' | 'oauthRefreshToken';

/** Rows that are deleted together, and the pause between. */
const atOnce = 500;
const pauseMs = 50;
/** What is open with an access token goes on while its refresh token holds. */
const neededMs = clientLimits.refreshSeconds * 1_000;

/**
 * Deletes expired sessions, invitations and tokens of clients; rejects with the reason of the signal.
 * The account library deletes expired access tokens and authorization codes.
 */
export const createForgetExpired = ({ store, clock, log }: ExpiredNeeds) => {
  const auth = store.db.withTables<AuthTables>();
  const step = async (table: Expiring, before: string): Promise<number> => {
    const expired = auth.selectFrom(table).select('id').where('expiresAt', '<=', before).limit(atOnce);
    const { numDeletedRows } = await store.changeRights(() =>
      auth.deleteFrom(table).where('id', 'in', expired).executeTakeFirst(),
    );
    return Number(numDeletedRows);
  };

  /** A sealed answer to a refresh token is of no use after its minute. */
  const forgetAnswers = (now: number) =>
    auth
      .updateTable('oauthRefreshToken')
      .set({ rotationReplayResponse: null, rotationReplayExpiresAt: null })
      .where('rotationReplayResponse', 'is not', null)
      .where('rotationReplayExpiresAt', '<=', new Date(now).toISOString())
      .execute();

  return async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    await forgetAnswers(now);
    // In this order: access tokens name refresh tokens.
    const kinds = [
      ['oauthAccessToken', now - neededMs],
      ['oauthRefreshToken', now - neededMs],
      ['session', now],
      ['invitation', now],
      ['passwordReset', now],
    ] as const;
    for (const [table, at] of kinds) {
      const before = new Date(at).toISOString();
      let rows = 0;
      for (let gone = await step(table, before); gone > 0; gone = await step(table, before)) {
        rows += gone;
        await sleep(clock, pauseMs, signal);
      }
      if (rows > 0) log.info({ table, rows }, 'deleted what had expired');
    }
  };
};
