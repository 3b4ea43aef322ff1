import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import { z } from 'zod';
import { daemonEntry, fromRoot, startDaemon, until, type Daemon, type Processes } from '../harness/index.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import type { Proxy } from './proxy.ts';
import type { User } from './user.ts';

/** One user's machine: a daemon that is kept running behind the user's proxy. */
export interface Machine {
  root: string;
  pid(): number;
  /** Ends the daemon without warning and starts it again after `forMs`. */
  kill(forMs: number): Promise<void>;
  /** Holds the process still for `forMs`. */
  freeze(forMs: number): Promise<void>;
  /** Runs a second daemon with a copy of the private folder for `forMs`; the first is back afterwards. */
  twin(forMs: number): Promise<void>;
  /** Disconnects in the panel, tries the revoked credentials, and pairs again. */
  pairAgain(): Promise<void>;
  /** The daemon is left alone when it ends. */
  stop(): void;
}

export interface MachineNeeds {
  processes: Processes;
  history: History;
  proxy: Proxy;
  user: User;
  keys: Keys;
  /** Folder for the machine's root, its home, and those of its twin. */
  folder: string;
  flags: string[];
}

/** After this long a key that was ended holds nowhere. */
const settleMs = 2_000;

const session = z.object({ key: z.string() });

const sessionFile = (home: string) => join(home, '.drawbridge', 'session.json');

/** The session key that the daemon keeps, if it has one. */
const keptKey = (home: string): string | undefined => {
  const path = sessionFile(home);
  return existsSync(path) ? session.parse(JSON.parse(readFileSync(path, 'utf8'))).key : undefined;
};

const folders = (folder: string) => {
  const made = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return { root: made('root'), home: made('home'), twinRoot: made('twin-root'), twinHome: made('twin-home') };
};

/** The coding agent of each machine; it does what a message says, line by line. */
export const codingAgent = 'acp:stand-in';

const enableCodingAgent = (home: string) => {
  const program = fromRoot('apps/daemon/test/support/acp-stand-in.mjs');
  const enable = ['enable', codingAgent, '--login', program, '--', process.execPath, program];
  const env = { ...process.env, HOME: home };
  for (const words of [
    ['runtimes', ...enable],
    ['permissions', 'set', 'runtime', 'allow'],
  ])
    execFileSync(process.execPath, [daemonEntry, ...words], { env });
};

/** Every second machine begins with the one, and changes to the other when it was killed. */
const links = ['stream', 'socket'];

const copies = 10;

/** Not the lock of a local process, nor a socket. */
const isCopied = (path: string) => !/\/lock\.\d+$/.test(path) && !lstatSync(path).isSocket();

/** As on a copied machine. The daemon keeps running, so a file that disappears during the copy restarts it. */
const copyHome = (home: string, twinHome: string) => {
  for (let left = copies; ; left -= 1) {
    rmSync(twinHome, { recursive: true, force: true });
    try {
      return cpSync(home, twinHome, { recursive: true, filter: isCopied });
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || left === 1) throw error;
    }
  }
};

export const createMachine = async (needs: MachineNeeds): Promise<Machine> => {
  const { processes, history, proxy, user, keys } = needs;
  let link = user.index % links.length;
  const flags = () => ['--link', links[link] ?? 'socket', ...needs.flags];
  const { root, home, twinRoot, twinHome } = folders(needs.folder);
  enableCodingAgent(home);
  let daemon: Daemon | undefined;
  /** Something is being done to the daemon that ends it. */
  let mayEnd = false;
  let stopped = false;
  let last: Promise<void> = Promise.resolve();

  /** One thing at a time is done to the daemon. */
  const inTurn = (work: () => Promise<void>): Promise<void> => (last = last.then(work));

  /** Whether the server has taken the key back because two daemons kept taking it from each other. */
  const isLocked = () =>
    until(async () => {
      const status = await user.person.api.gateway.status.query().catch(() => undefined);
      return status && { locked: status.problem !== undefined };
    });

  const onExit = (ended: Daemon) => {
    if (stopped || mayEnd || daemon !== ended) return;
    const output = ended.process.output();
    // A daemon that was killed before it could keep its key cannot come back with it.
    const hasNoKey = !/^\s*connected /m.test(output) && keptKey(home) === undefined;
    void inTurn(async () => {
      if (daemon !== ended) return;
      const expected = hasNoKey || (await isLocked()).locked;
      const words = output.split('\n').slice(-12).join('\n');
      history.note({ type: 'daemon-ended', user: user.index, expected, output: words });
      await pair();
    });
  };

  const start = (token?: string) => {
    const given = token === undefined ? {} : { token };
    const started = startDaemon(processes, { url: proxy.url, root, home, flags: flags(), ...given });
    daemon = started;
    mayEnd = false;
    void started.process.exit.then(() => onExit(started));
  };

  const disturb = (forMs: number) => history.note({ type: 'disturbed', user: user.index, forMs });

  const end = async () => {
    mayEnd = true;
    disturb(0);
    daemon?.process.signal('SIGCONT');
    await daemon?.process.end('SIGKILL');
  };

  /** Starts the daemon with a token of its own. */
  const pair = async () => {
    const token = await until(() => keys.newToken(user));
    rmSync(sessionFile(home), { force: true });
    start(token.text);
    return token;
  };

  await inTurn(async () => void (await pair()));

  return {
    root,
    pid: () => daemon?.process.pid ?? 0,
    kill: (forMs) =>
      inTurn(async () => {
        await end();
        await sleep(systemClock, forMs);
        link = (link + 1) % links.length;
        start();
      }),
    freeze: (forMs) =>
      inTurn(async () => {
        disturb(forMs);
        daemon?.process.signal('SIGSTOP');
        await sleep(systemClock, forMs);
        daemon?.process.signal('SIGCONT');
      }),
    twin: (forMs) =>
      inTurn(async () => {
        mayEnd = true;
        disturb(forMs);
        copyHome(home, twinHome);
        const twin = startDaemon(processes, {
          url: proxy.url,
          root: twinRoot,
          home: twinHome,
          flags: flags(),
        });
        await sleep(systemClock, forMs);
        await twin.process.end('SIGKILL');
        await end();
        start();
      }),
    pairAgain: () =>
      inTurn(async () => {
        mayEnd = true;
        disturb(0);
        const old = keptKey(home);
        await until(() => keys.end(user, old));
        await end();
        await keys.race(user);
        const token = await pair();
        await sleep(systemClock, settleMs);
        if (old !== undefined) await keys.tryKey(old);
        if (keptKey(home) === undefined) return;
        history.note({ type: 'token-tried', token: token.number, taken: true });
        await keys.tryToken(token);
      }),
    stop: () => {
      stopped = true;
    },
  };
};
