import { createPerson, type Account, type Person } from './client.ts';
import { flagsOfTests, freePort, newDataFolder, serverEntry } from './paths.ts';
import type { Exit, Processes, Running } from './processes.ts';

export const setupToken = 'set-up-token-of-the-tests-0123456789';
export const owner: Account = { name: 'Ann', email: 'ann@example.org', password: 'a long password' };

/** The account of the person whom the owner invites. */
export const guest: Account = { name: 'Ben', email: 'ben@example.org', password: 'another long password' };

/** The built server in a process of its own. */
export interface Server {
  url: string;
  /** The folder of its data. */
  dataDir: string;
  process(): Running;
  /** A person without an account yet. */
  visitor(): Person;
  /** Makes the owner's account and gives the owner, signed in. */
  createOwner(): Promise<Person>;
  /** Makes the account of a second person, whom the owner invites, and gives them, signed in. */
  invite(from: Person): Promise<Person>;
  /** Ends the process; `SIGKILL` leaves it no time. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit>;
  /** Starts it again on the same port, with the same data. */
  restart(): Promise<void>;
}

/** `{port}` in a value of `env` is the port; `nodeFlags` go to Node itself; `entry` is another build. */
export const startServer = async (
  processes: Processes,
  env: Record<string, string> = {},
  nodeFlags: string[] = [],
  entry = serverEntry,
): Promise<Server> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = newDataFolder();

  const start = async () => {
    const running = processes.start({
      command: process.execPath,
      args: [...flagsOfTests, ...nodeFlags, entry],
      cwd: dataDir,
      env: {
        PORT: String(port),
        DATA_DIR: dataDir,
        SETUP_TOKEN: setupToken,
        LOG_LEVEL: 'warn',
        SIGN_IN_PER_MINUTE: '1000',
        ...Object.fromEntries(
          Object.entries(env).map(([name, value]) => [name, value.replace('{port}', String(port))]),
        ),
      },
    });
    await running.says(/^Drawbridge is ready on /m);
    return running;
  };

  let running = await start();
  return {
    url,
    dataDir,
    process: () => running,
    visitor: () => createPerson(url),
    createOwner: async () => {
      const person = createPerson(url);
      await person.api.setup.createOwner.mutate({ setupToken, ...owner });
      return person;
    },
    invite: async (from) => {
      const { url: link } = await from.api.invitations.create.mutate();
      const person = createPerson(url);
      const invitationToken = link.split(/[=#/]/).at(-1) ?? '';
      await person.api.invitations.accept.mutate({ invitationToken, ...guest });
      return person;
    },
    end: (signal) => running.end(signal),
    restart: async () => {
      running = await start();
    },
  };
};
