import type { User } from '@drawbridge/contracts/accounts';
import type { Accounts } from '../auth/index.ts';
import { errors } from '../errors.ts';

/** The account of an e-mail address, in any case. Throws `notFound`. */
export const accountOf = async (accounts: Pick<Accounts, 'byEmail'>, email: string): Promise<User> => {
  const user = await accounts.byEmail(email);
  if (user === null) throw errors.notFound({ message: `There is no account with the address ${email}` });
  return user;
};
