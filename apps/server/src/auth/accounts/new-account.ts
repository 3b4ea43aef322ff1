import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { userOf, type Auth, type UserRow } from '../better-auth.ts';
import type { SessionProofs } from '../sessions/session-proof.ts';
import { browserHeaders, type FreshSession, type FromBrowser } from '../sessions/session.ts';

type Context = Awaited<Auth['$context']>;
type Store = Context['adapter'];
export type Transaction = Parameters<Parameters<Store['transaction']>[0]>[0];

export interface NewAccount {
  name: string;
  email: string;
  password: string;
}

interface Needs {
  auth: Auth;
  clock: Clock;
  proofs: SessionProofs;
}

/** Makes accounts: better-auth's own way to make one is closed, as there is no open sign-up. */
export const createNewAccount = async ({ auth, clock, proofs }: Needs) => {
  const { adapter, password } = await auth.$context;

  const insert = async (
    trx: Transaction,
    account: { name: string; email: string; hash: string; slot: string | null },
  ) => {
    const { name, hash, slot } = account;
    const email = account.email.toLowerCase();
    const taken = await trx.findOne<UserRow>({ model: 'user', where: [{ field: 'email', value: email }] });
    if (taken) throw errors.emailTaken();
    const at = new Date(clock.now());
    const times = { createdAt: at, updatedAt: at };
    const row = await trx.create<Record<string, unknown>, UserRow>({
      model: 'user',
      data: { name, email, emailVerified: false, ownerSlot: slot, ...times },
    });
    await trx.create({
      model: 'account',
      data: { userId: row.id, accountId: row.id, providerId: 'credential', password: hash, ...times },
    });
    return userOf(row);
  };

  return {
    /** `claim` runs in the same transaction, before the account is created; an error rolls it back. */
    make: async (
      account: NewAccount,
      {
        slot,
        claim,
        ...from
      }: FromBrowser & { slot: string | null; claim: (trx: Transaction) => Promise<void> },
    ): Promise<FreshSession> => {
      const hash = await password.hash(account.password);
      const user = await adapter.transaction(async (trx) => {
        await claim(trx);
        return insert(trx, { ...account, hash, slot });
      });
      const body = { email: user.email, password: account.password };
      const { headers, response } = await auth.api.signInEmail({
        body,
        headers: browserHeaders(from),
        returnHeaders: true,
      });
      return { user, sessionProof: proofs.of(response.token), cookies: headers.getSetCookie() };
    },
  };
};
