import { resolve } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import type { Config } from '../config.ts';
import { lockFolder } from '../db/index.ts';
import { openAccounts } from '../compose/open-accounts.ts';
import { serverCommand } from '../program/built-files.ts';
import { createMachineActions } from './machine-actions.ts';
import { createToken, type NewToken } from './token.ts';
import { disableUser, enableUser, resetPassword, userTable } from './user.ts';
import { requireStore, withAccounts } from './with-accounts.ts';

interface Needs {
  config: Config;
  /** Folders on the command line are relative to it. */
  cwd: string;
  print(text: string): void;
  /** Prints a message for a person on stderr, apart from the result. */
  note(text: string): void;
}

/** The commands beside `start`. Each throws coded errors for problems that the user can fix. */
export const createActions = ({ config, cwd, print, note }: Needs) => {
  const place = { url: config.databaseUrl, dataDir: config.dataDir };
  const command = serverCommand();

  return {
    listUsers: ({ json }: { json: boolean }) =>
      withAccounts(config, async ({ accounts }) => {
        const people = await accounts.listPeople();
        print(json ? `${JSON.stringify(people)}\n` : userTable(people));
      }),
    resetPassword: (email: string) =>
      withAccounts(config, async ({ accounts }) => {
        const { url, expiresAt } = await resetPassword(accounts, email);
        note(
          `Send this link to ${email}. It can be used once, until ${expiresAt}, and ends the person's sessions.\n`,
        );
        print(`${url}\n`);
      }),
    disableUser: (email: string) =>
      withAccounts(config, async (opened) => {
        await disableUser(opened, { email, clock: systemClock });
        note(`Disabled ${email}: sessions, access tokens, clients, machines and webhooks have ended.\n`);
        note(`To enable it again: ${command} user enable ${email}\n`);
      }),
    enableUser: (email: string) =>
      withAccounts(config, async ({ accounts }) => {
        await enableUser(accounts, email);
        note(`Enabled ${email}. Create its access tokens and webhooks again and reconnect its machines.\n`);
      }),
    ...createMachineActions({ config, print, note }),
    createToken: ({ json, ...token }: NewToken & { json: boolean }) =>
      withAccounts(config, async (opened) => {
        const created = await createToken(opened, token);
        if (json) return print(`${JSON.stringify(created)}\n`);
        note(
          `Created "${created.name}" for ${token.email}: ${created.scopes.join(', ')}; until ${created.expiresAt}.\n`,
        );
        note('The token is shown only once.\n');
        print(`${created.token}\n`);
      }),
    backUp: async (folder: string) => {
      requireStore(config.dataDir);
      const { backUp } = await import('../backup/index.ts');
      const target = resolve(cwd, folder);
      backUp(place, target);
      note('Protect the backup like passwords: it gives access to every account.\n');
      print(`${target}\n`);
    },
    restore: async (folder: string) => {
      const { restore } = await import('../backup/index.ts');
      const lock = lockFolder(config.dataDir);
      try {
        const upgrade = async (dataDir: string) => {
          const staged = { ...config, dataDir, databaseUrl: undefined, logLevel: 'warn' as const };
          const { close } = await openAccounts({ config: staged, clock: systemClock, writeLog: note });
          await close();
        };
        const { aside, compared } = await restore(
          { place, clock: systemClock, upgrade },
          resolve(cwd, folder),
        );
        print(`Restored ${resolve(cwd, folder)} to ${config.dataDir}\n`);
        if (aside !== null) note(`The former store is in ${aside}\n`);
        note('All sessions have ended; users must sign in again. Open calls of the backup have ended.\n');
        if (!compared)
          note(
            'There was no former store to compare with: access tokens, clients, machines and webhooks that were revoked after the backup work again. Revoke them in the panel.\n',
          );
      } finally {
        lock.release();
      }
    },
    doctor: async ({ json }: { json: boolean }) => {
      const { runDoctor } = await import('./doctor.ts');
      const { text, problems } = await runDoctor(config, { json });
      print(text);
      if (problems > 0) process.exitCode = 1;
    },
  };
};

export type ServerActions = ReturnType<typeof createActions>;
