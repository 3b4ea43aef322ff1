import { resolve } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import type { Config } from '../config.ts';
import { takeFolder } from '../db/index.ts';
import { folderInUse } from '../folder-in-use.ts';
import { openAccounts } from '../compose/open-accounts.ts';
import { serverCommand } from '../server-command.ts';
import { createMachineActions } from './machine-actions.ts';
import type { Actions } from './program.ts';
import { createToken } from './token.ts';
import { disableUser, enableUser, resetPassword, userTable } from './user.ts';
import { requireStore, withAccounts } from './with-accounts.ts';

interface Needs {
  config: Config;
  /** Where the person stands; folders of the command line are relative to it. */
  cwd: string;
  print(text: string): void;
  /** Says what a program that reads the result need not see. */
  tell(text: string): void;
}

/** The commands beside the running server. Each throws coded errors for what the person can put right. */
export const createActions = ({ config, cwd, print, tell }: Needs): Omit<Actions, 'start'> => {
  const place = { url: config.databaseUrl, dataDir: config.dataDir };
  const command = serverCommand();

  return {
    listUsers: ({ json }) =>
      withAccounts(config, async ({ accounts }) => {
        const people = await accounts.listPeople();
        print(json ? `${JSON.stringify(people)}\n` : userTable(people));
      }),
    resetPassword: (email) =>
      withAccounts(config, async ({ accounts }) => {
        const { url, expiresAt } = await resetPassword(accounts, email);
        tell(
          `Send this link to ${email}. It can be used once, until ${expiresAt}, and ends the person's sessions.\n`,
        );
        print(`${url}\n`);
      }),
    disableUser: (email) =>
      withAccounts(config, async (opened) => {
        await disableUser(opened, { email, clock: systemClock });
        tell(`Disabled ${email}: sessions, access tokens, clients and machines have ended.\n`);
        tell(`To enable it again: ${command} user enable ${email}\n`);
      }),
    enableUser: (email) =>
      withAccounts(config, async ({ accounts }) => {
        await enableUser(accounts, email);
        tell(`Enabled ${email}. Access tokens have to be created anew, and machines connected again.\n`);
      }),
    ...createMachineActions({ config, print, tell }),
    createToken: ({ email, input, json }) =>
      withAccounts(config, async (opened) => {
        const created = await createToken(opened, { email, input });
        if (json) return print(`${JSON.stringify(created)}\n`);
        tell(
          `Created "${created.name}" for ${email}: ${created.scopes.join(', ')}; until ${created.expiresAt}.\n`,
        );
        tell('It is shown only now.\n');
        print(`${created.token}\n`);
      }),
    backUp: async (folder) => {
      requireStore(config.dataDir);
      const { backUp } = await import('../backup/index.ts');
      const target = resolve(cwd, folder);
      backUp(place, target);
      tell('Keep it as safe as passwords: with it anybody can sign in to the copy.\n');
      print(`${target}\n`);
    },
    restore: async (folder) => {
      const { restore } = await import('../backup/index.ts');
      const taken = takeFolder(config.dataDir);
      if (taken.kind === 'held') throw folderInUse(config.dataDir, taken.holder);
      try {
        const upgrade = async (dataDir: string) => {
          const staged = { ...config, dataDir, databaseUrl: undefined, logLevel: 'warn' as const };
          const { close } = await openAccounts({ config: staged, clock: systemClock, writeLog: tell });
          await close();
        };
        const { aside, compared } = await restore(
          { place, clock: systemClock, upgrade },
          resolve(cwd, folder),
        );
        print(`Restored ${resolve(cwd, folder)} to ${config.dataDir}\n`);
        if (aside !== null) tell(`What was there is in ${aside}\n`);
        tell('Everybody has to sign in again. Calls that were open in the copy have ended.\n');
        if (!compared)
          tell(
            'There was no store to compare with: access tokens, clients and machines that were revoked after the copy was made work again. Revoke them in the panel.\n',
          );
      } finally {
        taken.lock.release();
      }
    },
    doctor: async ({ json }) => {
      const { runDoctor } = await import('./doctor.ts');
      const { text, problems } = await runDoctor(config, { json });
      print(text);
      if (problems > 0) process.exitCode = 1;
    },
  };
};
