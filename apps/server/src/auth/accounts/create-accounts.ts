import type { Clock } from '@drawbridge/kit';
import type { Store } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Accounts } from './accounts.ts';
import { ownerSlot, type Auth } from '../better-auth.ts';
import { sameSecret } from '../digest.ts';
import { createInvitations } from './invitations.ts';
import { createNewAccount, userOf, type UserRow } from './new-account.ts';
import { createPasswordResets } from './password-resets.ts';
import { createPeople } from './people.ts';
import { createPeopleStore } from './people.store.ts';
import type { SessionProofs } from '../sessions/session-proof.ts';
import { createSessions } from '../sessions/sessions.ts';
import { createSessionsStore } from '../sessions/sessions.store.ts';
import { createWatch } from '../watch.ts';

interface AccountsNeeds {
  auth: Auth;
  store: Store;
  clock: Clock;
  log: Logger;
  proofs: SessionProofs;
  /** The token that makes the owner. */
  setupToken: string;
  /** The origin that links carry. */
  url(): string;
}

/** The accounts, on better-auth. `checkSessions` checks the watched sessions at once. */
export const createAccounts = async (
  needs: AccountsNeeds,
): Promise<Accounts & { checkSessions(): Promise<void> }> => {
  const { auth, store, clock, log, proofs, setupToken, url } = needs;
  const { adapter, authCookies } = await auth.$context;
  const newAccount = await createNewAccount({ auth, clock, proofs });
  const invitations = await createInvitations({ auth, clock, url });
  const resets = await createPasswordResets({ auth, clock, proofs, url });

  const live = async (tokens: string[]) => {
    const rows = await adapter.findMany<{ token: string }>({
      model: 'session',
      where: [
        { field: 'token', operator: 'in', value: tokens },
        { field: 'expiresAt', operator: 'gt', value: new Date(clock.now()) },
      ],
      limit: tokens.length,
    });
    return new Set(rows.map((row) => row.token));
  };
  const watch = createWatch({
    clock,
    live,
    onError: (error) => log.error({ err: error }, 'sessions could not be checked'),
  });

  let owner: string | null = null;
  const ownerId = async () => {
    if (owner !== null) return owner;
    const row = await adapter.findOne<{ id: string }>({
      model: 'user',
      where: [{ field: 'ownerSlot', value: ownerSlot }],
    });
    owner = row?.id ?? null;
    return owner;
  };
  const refuseSecondOwner = async () => {
    if ((await ownerId()) !== null) throw errors.alreadySetUp();
  };

  return {
    byEmail: async (email) => {
      const where = [{ field: 'email', value: email.toLowerCase() }];
      const row = await adapter.findOne<UserRow>({ model: 'user', where });
      return row ? userOf(row) : null;
    },
    ownerId,
    setupNeeded: async () => (await ownerId()) === null,
    createOwner: async ({ setupToken: given, ...account }) => {
      await refuseSecondOwner();
      if (!sameSecret(given, setupToken)) {
        throw errors.forbidden({
          message: 'The set-up token is not right',
          fix: 'Open the link that the server printed when it started.',
        });
      }
      try {
        return await newAccount.make(account, { slot: ownerSlot, claim: async () => {} });
      } catch (error) {
        // The unique slot lets one of two through; the other finds the owner there.
        await refuseSecondOwner();
        throw error;
      }
    },
    acceptInvitation: async ({ invitationToken, ...account }) =>
      newAccount.make(account, { slot: null, claim: (trx) => invitations.consume(trx, invitationToken) }),
    session: createSessions({
      auth,
      clock,
      proofs,
      cookieName: authCookies.sessionToken.name,
      store: createSessionsStore(store),
    }),
    watch: ({ token }, ended) => watch.watch(token, ended),
    checkSessions: watch.check,
    createInvitation: invitations.create,
    listInvitations: invitations.list,
    revokeInvitation: invitations.revoke,
    ...createPeople({ clock, store: createPeopleStore(store.db), checkSessions: watch.check }),
    createReset: resets.create,
    resetPassword: async (input) => {
      const signedIn = await resets.use(input);
      await watch.check();
      return signedIn;
    },
  };
};
