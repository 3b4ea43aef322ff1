import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedToken, CreateTokenInput } from '@drawbridge/contracts';
import type { Accounts, Tokens } from './auth/index.ts';
import { errors } from './errors.ts';

interface Needs {
  /** Where the server keeps its store. */
  dataDir: string;
  open(): Promise<{ accounts: Accounts; tokens: Tokens; close(): Promise<void> }>;
}

/**
 * Makes an access token for the person with that e-mail address, in the store of a server that may be running. Throws
 * `notFound` where no server has run or nobody has that address, `tooManyTokens`.
 */
export const createToken = async (
  { dataDir, open }: Needs,
  { email, input }: { email: string; input: CreateTokenInput },
): Promise<CreatedToken> => {
  // Looked at first: opening makes what is not there.
  if (!existsSync(join(dataDir, 'auth-secret')))
    throw errors.notFound({
      message: `No server has run with the data folder ${dataDir}`,
      fix: 'Set DATA_DIR to the folder of the server.',
    });
  const { accounts, tokens, close } = await open();
  try {
    const user = await accounts.byEmail(email);
    if (user === null) throw errors.notFound({ message: `There is no account with the address ${email}` });
    return await tokens.create(user.id, input);
  } finally {
    await close();
  }
};
