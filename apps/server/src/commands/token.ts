import { createTokenInput, type CreatedToken, type CreateTokenInput } from '@drawbridge/contracts/tokens';
import { systemClock } from '@drawbridge/kit';
import type { Accounts, Tokens } from '../auth/index.ts';
import type { Store } from '../db/index.ts';
import { errors } from '../errors.ts';
import { accountOf } from './account-of.ts';
import { createManageMachines } from '../gateway/index.ts';
import { findMachine } from './machines.ts';

interface Needs {
  accounts: Pick<Accounts, 'byEmail'>;
  tokens: Pick<Tokens, 'create'>;
  store: Pick<Store, 'db' | 'changeRights'>;
}

export interface NewToken {
  email: string;
  input: CreateTokenInput;
  /** Names or ids; null for every machine. */
  machines: readonly string[] | null;
}

/**
 * Creates an access token for the person with that e-mail address. Throws `notFound`, `tooManyTokens`, and
 * `badRequest` where the scopes do not go with machines.
 */
export const createToken = async (
  { accounts, tokens, store }: Needs,
  { email, input, machines: names }: NewToken,
): Promise<CreatedToken> => {
  const { id } = await accountOf(accounts, email);
  if (names === null) return tokens.create(id, input);
  const needs = { accounts, machines: createManageMachines(store, systemClock) };
  const machines: string[] = [];
  for (const machine of names) machines.push((await findMachine(needs, { email, machine })).id);
  const read = createTokenInput.safeParse({ ...input, machines });
  if (!read.success) throw errors.badRequest({ message: read.error.issues[0]?.message ?? 'Not valid' });
  return tokens.create(id, read.data);
};
