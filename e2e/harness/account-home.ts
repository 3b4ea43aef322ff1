import { newFolder, fromRoot } from './paths.ts';

let made: string | undefined;

/** What servers of this worker take for the home folder of their account. */
export const accountHome = (): string => (made ??= newFolder('account'));

/** For the environment of a program of ours: what was compiled once in this run is not compiled again. */
export const compiledEnvironment = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
};

/** For the environment of a program that may start a server. */
export const accountEnvironment = (): Record<string, string> => ({
  ...compiledEnvironment(),
  TEST_ACCOUNT_HOME: accountHome(),
  NODE_OPTIONS: `--require ${JSON.stringify(fromRoot('e2e/harness/account-home.cjs'))}`,
});
