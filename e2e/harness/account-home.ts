import { newFolder, fromRoot } from './paths.ts';

let made: string | undefined;

/** What servers of this worker take for the home folder of their account. */
export const accountHome = (): string => (made ??= newFolder('account'));

/** For the environment of a program that may start a server. */
export const accountEnvironment = (): Record<string, string> => ({
  TEST_ACCOUNT_HOME: accountHome(),
  NODE_OPTIONS: `--require ${JSON.stringify(fromRoot('e2e/harness/account-home.cjs'))}`,
});
