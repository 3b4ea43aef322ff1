import { systemClock } from '@drawbridge/kit';
import type { Config } from '../config.ts';
import { serverCommand } from '../program/built-files.ts';
import { createMachineActions } from './machine-actions.ts';
import { createStoreActions } from './store-actions.ts';
import { createToken, type NewToken } from './token.ts';
import { disableUser, enableUser, resetPassword, userTable } from './user.ts';
import { withAccounts } from './with-accounts.ts';

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
    ...createStoreActions({ config, cwd, print, note }),
    doctor: async ({ json }: { json: boolean }) => {
      const { runDoctor } = await import('./doctor.ts');
      const { text, problems } = await runDoctor(config, { json });
      print(text);
      if (problems > 0) process.exitCode = 1;
    },
  };
};

export type ServerActions = ReturnType<typeof createActions>;
