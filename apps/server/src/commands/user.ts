import type { Person, ResetLink } from '@drawbridge/contracts/accounts';
import type { Clock } from '@drawbridge/kit';
import type { Accounts, Clients, Tokens } from '../auth/index.ts';
import type { Store } from '../db/index.ts';
import { createKeysStore } from '../gateway/index.ts';
import { createHooksStore } from '../hooks/index.ts';
import { accountOf } from './account-of.ts';

interface Needs {
  accounts: Accounts;
  tokens: Pick<Tokens, 'revokeAll'>;
  clients: Pick<Clients, 'revokeAll'>;
  store: Store;
}

/**
 * Disables an account and removes its webhooks; a running server ends its sessions, tokens, clients and
 * machines within a second.
 * Throws `notFound`, and `forbidden` for the owner's account.
 */
export const disableUser = async (
  { accounts, tokens, clients, store }: Needs,
  { email, clock }: { email: string; clock: Clock },
): Promise<void> => {
  const { id } = await accountOf(accounts, email);
  await accounts.disable(id);
  await tokens.revokeAll(id);
  await clients.revokeAll(id);
  await createHooksStore(store.db).removeAll(id);
  await createKeysStore(store).revokeUser(id, clock.now());
};

/** Throws `notFound`. */
export const enableUser = async (accounts: Accounts, email: string): Promise<void> =>
  accounts.enable((await accountOf(accounts, email)).id);

/** Throws `notFound`, `forbidden` for a disabled account. */
export const resetPassword = async (accounts: Accounts, email: string): Promise<ResetLink> =>
  accounts.createReset((await accountOf(accounts, email)).id);

const roleOf = ({ isOwner, disabledAt }: Person): string => {
  if (isOwner) return 'owner';
  return disabledAt === null ? 'enabled' : `disabled since ${disabledAt.slice(0, 10)}`;
};

/** One line an account: address, role, name. */
export const userTable = (people: readonly Person[]): string => {
  const roles = people.map(roleOf);
  const width = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const email = width(people.map((person) => person.email));
  const role = width(roles);
  return people
    .map(
      (person, at) =>
        `${person.email.padEnd(email)}  ${(roles[at] ?? '').padEnd(role)}  ${JSON.stringify(person.name)}\n`,
    )
    .join('');
};
