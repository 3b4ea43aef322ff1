import { createTokenInput, type CreatedToken, type CreateTokenInput } from '@drawbridge/contracts/tokens';
import type { Tokens } from '../auth/index.ts';
import { errors } from '../errors.ts';
import { accountOf } from './account-of.ts';
import { findMachine, type MachineNeeds } from './machines.ts';

interface Needs extends MachineNeeds {
  tokens: Pick<Tokens, 'create'>;
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
  needs: Needs,
  { email, input, machines: names }: NewToken,
): Promise<CreatedToken> => {
  const { id } = await accountOf(needs.accounts, email);
  if (names === null) return needs.tokens.create(id, input);
  const machines: string[] = [];
  for (const machine of names) machines.push((await findMachine(needs, { email, machine })).id);
  const read = createTokenInput.safeParse({ ...input, machines });
  if (!read.success) throw errors.badRequest({ message: read.error.issues[0]?.message ?? 'Not valid' });
  return needs.tokens.create(id, read.data);
};
