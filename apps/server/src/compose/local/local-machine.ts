import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type Clock, createTimer, exponential, signalChild } from '@drawbridge/kit';
import type { DaemonProgram } from '../../program/built-files.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { isLoopback } from '../../http/index.ts';
import type { Logger } from '../../program/log.ts';
import { placesOf, type StorePlace } from './server-place.ts';

interface Needs {
  /** The folder that the machine offers. */
  folder: string;
  /** Closed to the daemon, which reads so in its arguments: a command can see variables. */
  store: StorePlace;
  program: DaemonProgram;
  /** Where the server listens. */
  host: string;
  port(): number;
  clock: Clock;
  gateway: { pairing: Pick<Gateway['pairing'], 'createServerToken'> };
  /** Null until the owner's account exists. */
  ownerId(): Promise<string | null>;
  log: Logger;
  onError(error: unknown): void;
}

const ownerEveryMs = 1_000;
const again = { baseMs: 1_000, capMs: 60_000 };
/** An end sooner than this is a failed start. */
const startedMs = 20_000;
const stopMs = 3_000;

const isWithin = (folder: string, other: string) => folder === other || folder.startsWith(other + sep);

/** The real path of `LOCAL_GATEWAY_DIR`. Throws `badRequest` for a folder that would show the store. */
export const readLocalFolder = (folder: string, dataDir: string): string => {
  if (!existsSync(folder))
    throw errors.badRequest({ message: `LOCAL_GATEWAY_DIR: there is no folder ${folder}` });
  const [shown, store] = [realpathSync(folder), realpathSync(dataDir)];
  if (isWithin(shown, store) || isWithin(store, shown))
    throw errors.badRequest({
      message: 'LOCAL_GATEWAY_DIR and DATA_DIR must not contain each other',
      fix: 'The store holds the keys of this server. Choose another folder.',
    });
  return shown;
};

const urlOf = ({ host, port }: Pick<Needs, 'host' | 'port'>): URL => {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const name = isWildcard ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return new URL(`http://${name}:${port()}`);
};

/** Nothing of the server's own environment goes along: it holds keys. */
const environmentOf = (needs: Needs, home: string, token: string | null): NodeJS.ProcessEnv => ({
  PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  HOME: home,
  NO_COLOR: '1',
  DRAWBRIDGE_URL: urlOf(needs).href,
  DRAWBRIDGE_DIR: needs.folder,
  DRAWBRIDGE_NON_INTERACTIVE: '1',
  DRAWBRIDGE_INSTALL: '0',
  DRAWBRIDGE_KEY_STORE: 'file',
  DRAWBRIDGE_ALLOW_INSECURE_HTTP: isLoopback(needs.host) ? '0' : '1',
  ...(token !== null && { DRAWBRIDGE_TOKEN: token }),
});

/**
 * Runs a daemon of the owner on the server's own machine, through the same protocol as every other one. A
 * pairing that the owner has ended stays ended until the server starts again.
 */
export const startLocalMachine = (needs: Needs) => {
  const { store, program, clock, gateway, ownerId, log, onError } = needs;
  const home = join(store.dataDir, 'local-machine');
  const session = join(home, '.drawbridge', 'session.json');
  const timer = createTimer(clock);
  let child: ChildProcess | null = null;
  let isStopped = false;
  let failures = 0;

  const soon = (ms: number) => {
    if (!isStopped) timer.start(ms, () => void run().catch(failed));
  };
  const failed = (error: unknown) => {
    onError(error);
    failures += 1;
    soon(exponential(failures, again));
  };

  const run = async (): Promise<void> => {
    const owner = await ownerId();
    if (owner === null) return soon(ownerEveryMs);
    // A session that did not work is replaced: the address of the server may have changed.
    const isKnown = existsSync(session) && failures === 0;
    const token = isKnown ? null : await gateway.pairing.createServerToken(owner);
    if (isStopped) return;
    const startedAt = clock.now();
    const running = spawn(
      process.execPath,
      [...program.args, 'connect', ...placesOf(store).flatMap((path) => ['--closed', path])],
      {
        cwd: needs.folder,
        env: environmentOf(needs, home, token),
        stdio: ['ignore', program.output, program.output],
      },
    );
    child = running;
    const [code] = (await once(running, 'exit').finally(() => (child = null))) as [number | null];
    if (isStopped) return;
    log.warn({ code }, 'the machine of LOCAL_GATEWAY_DIR has ended');
    if (code === 0) return;
    failures = clock.now() - startedAt < startedMs ? failures + 1 : 0;
    soon(exponential(failures, again));
  };

  mkdirSync(home, { recursive: true, mode: 0o700 });
  soon(0);
  return {
    /** Resolves when the daemon has ended. */
    stop: async () => {
      isStopped = true;
      timer.cancel();
      if (!child) return;
      const ended = once(child, 'exit');
      signalChild(child, 'SIGTERM');
      const cancel = clock.after(stopMs, () => child && signalChild(child, 'SIGKILL'));
      await ended;
      cancel();
    },
  };
};
