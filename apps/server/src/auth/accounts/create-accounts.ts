import type {
  AcceptInvitationInput,
  CreateOwnerInput,
  ResetPasswordInput,
  User,
} from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import type { Store } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../program/log.ts';
import { ownerSlot, userOf, type Auth, type UserRow } from '../better-auth.ts';
import { sameSecret } from '../digest.ts';
import { createOwnSessions } from '../sessions/own-sessions.ts';
import type { SessionProofs } from '../sessions/session-proof.ts';
import type { FreshSession, FromBrowser, Session } from '../sessions/session.ts';
import { createSessionsStore } from '../sessions/sessions.store.ts';
import { createSessions } from '../sessions/sessions.ts';
import { createWatch } from '../watch.ts';
import { createInvitations } from './invitations.ts';
import { createNewAccount } from './new-account.ts';
import { createPasswordResets } from './password-resets.ts';
import { createPeopleStore } from './people.store.ts';
import { createPeople } from './people.ts';

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

type Adapter = Awaited<Auth['$context']>['adapter'];

/** Reads the owner's account, which stays the same once it exists. */
const createOwnerId = (adapter: Adapter) => {
  let owner: string | null = null;
  return async (): Promise<string | null> => {
    if (owner !== null) return owner;
    const row = await adapter.findOne<{ id: string }>({
      model: 'user',
      where: [{ field: 'ownerSlot', value: ownerSlot }],
    });
    owner = row?.id ?? null;
    return owner;
  };
};

/** The accounts, on better-auth. `checkSessions` checks the watched sessions at once. */
export const createAccounts = async (needs: AccountsNeeds) => {
  const { auth, store, clock, log, proofs, setupToken, url } = needs;
  const { adapter, authCookies } = await auth.$context;
  const newAccount = await createNewAccount({ auth, clock, proofs });
  const invitations = await createInvitations({ auth, clock, url });
  const resets = await createPasswordResets({ auth, clock, proofs, url });

  const sessions = createSessionsStore(store);
  const live = (keys: string[]) => sessions.live(keys, new Date(clock.now()).toISOString());
  const watch = createWatch({
    clock,
    live,
    onError: (error) => log.error({ err: error }, 'sessions could not be checked'),
  });

  const ownerId = createOwnerId(adapter);
  const refuseSecondOwner = async () => {
    if ((await ownerId()) !== null) throw errors.alreadySetUp();
  };

  return {
    /** The account with that e-mail address, ignoring case; null without one. */
    byEmail: async (email: string): Promise<User | null> => {
      const where = [{ field: 'email', value: email.toLowerCase() }];
      const row = await adapter.findOne<UserRow>({ model: 'user', where });
      return row ? userOf(row) : null;
    },
    ownerId,
    /** True until the owner's account exists. */
    setupNeeded: async () => (await ownerId()) === null,
    /**
     * Makes the owner, once. Throws `forbidden` for a wrong token, `alreadySetUp` when somebody was first.
     */
    createOwner: async (
      { setupToken: given, ...account }: CreateOwnerInput,
      from: FromBrowser = {},
    ): Promise<FreshSession> => {
      await refuseSecondOwner();
      if (!sameSecret(given, setupToken)) {
        throw errors.forbidden({
          message: 'The set-up token is not right',
          fix: 'Open the link that the server printed when it last started.',
        });
      }
      try {
        return await newAccount.make(account, { ...from, slot: ownerSlot, claim: async () => {} });
      } catch (error) {
        // The unique slot lets one of two through; the other finds the owner there.
        await refuseSecondOwner();
        throw error;
      }
    },
    /** Creates an account from an unused invitation. Throws `forbidden` for an invalid one, `emailTaken`. */
    acceptInvitation: async (
      { invitationToken, ...account }: AcceptInvitationInput,
      from: FromBrowser = {},
    ): Promise<FreshSession> =>
      newAccount.make(account, {
        ...from,
        slot: null,
        claim: (trx) => invitations.consume(trx, invitationToken),
      }),
    ...createSessions({
      auth,
      clock,
      proofs,
      cookieName: authCookies.sessionToken.name,
      store: sessions,
    }),
    cookieName: authCookies.sessionToken.name,
    ...createOwnSessions({ clock, store: sessions, checkSessions: watch.check }),
    /** The session with that key, as stored now; null once it has ended. */
    sessionByKey: async (key: string): Promise<Session | null> => {
      const found = await sessions.byKey(key);
      return found && found.expiresAt > clock.now() ? { key, user: userOf(found.user) } : null;
    },
    /** Calls `ended` once, within a second of the session's end. Returns the function that unsubscribes. */
    watch: ({ key }: Session, ended: () => void) => watch.watch(key, ended),
    checkSessions: watch.check,
    /** Those of the keys whose session has not ended. */
    liveSessions: live,
    createInvitation: invitations.create,
    listInvitations: invitations.list,
    revokeInvitation: invitations.revoke,
    ...createPeople({ clock, store: createPeopleStore(store), checkSessions: watch.check }),
    createReset: resets.create,
    /** Sets the password, ends all sessions and opens a new one. Throws `forbidden` for an invalid token. */
    resetPassword: async (input: ResetPasswordInput, from: FromBrowser = {}): Promise<FreshSession> => {
      const signedIn = await resets.use(input, from);
      await watch.check();
      return signedIn;
    },
  };
};

/** Who may use the server. */
export type Accounts = Omit<Awaited<ReturnType<typeof createAccounts>>, 'checkSessions'>;
