import type { CreatedToken, CreateTokenInput } from '@drawbridge/contracts/tokens';
import type { Accounts, Tokens } from '../auth/index.ts';
import { accountOf } from './account-of.ts';

interface Needs {
  accounts: Pick<Accounts, 'byEmail'>;
  tokens: Pick<Tokens, 'create'>;
}

/** Creates an access token for the person with that e-mail address. Throws `notFound`, `tooManyTokens`. */
export const createToken = async (
  { accounts, tokens }: Needs,
  { email, input }: { email: string; input: CreateTokenInput },
): Promise<CreatedToken> => tokens.create((await accountOf(accounts, email)).id, input);
