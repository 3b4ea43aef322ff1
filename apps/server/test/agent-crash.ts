import { rmSync } from 'node:fs';
import type { Agent } from '@drawbridge/agent';
import { sleep, systemClock, type Clock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import { openRows } from '../../../e2e/agent/crash-rows.ts';
import { createServerAgent, createSwitchedWorkspaces } from '../src/agent/index.ts';
import { configFrom } from '../src/config.ts';
import { migrate, openDatabase, type Store } from '../src/db/index.ts';
import { createGateway, defaultLimits, type DaemonStream, type Gateway } from '../src/gateway/index.ts';
import { createJournal } from './agent.ts';
import { initBody } from './gateway-fixture.ts';
import { newDataFolder } from './server.ts';

/** The transaction that a life of the server ends at, counted from 1: it is stored, or it is not. */
export interface Moment {
  at: number;
  isStored: boolean;
}

export const userId = 'ada';
const never = new Promise<never>(() => {});

/** A store whose process is gone at that moment: later writes are neither made nor acknowledged. */
const mortal = (store: Store, moment: Moment | null) => {
  const dead = Promise.withResolvers<void>();
  const writing = new Set<Promise<void>>();
  let isCounting = false;
  let isDead = false;
  let count = 0;
  const commit: Store['commit'] = async (writes, durability) => {
    if (isDead) return never;
    const isLast = isCounting && ++count === moment?.at;
    isDead = isLast;
    if (!isLast || moment.isStored) {
      const written = store.commit(writes, durability);
      writing.add(written);
      await written.finally(() => writing.delete(written));
    }
    if (isLast) dead.resolve();
    return isDead ? never : undefined;
  };
  return {
    store: { ...store, commit },
    dead: dead.promise,
    isDead: () => isDead,
    count: () => count,
    startCounting: () => {
      isCounting = true;
    },
    die: async () => {
      isDead = true;
      await Promise.allSettled(writing);
    },
  };
};

/** A server without its doors: store, gateway and agent, from its start to its end. */
export interface Life {
  agent: Agent;
  /** The transactions since counting began. */
  count(): number;
  isDead(): boolean;
}

export interface CrashWorld {
  /** Paths that the machine has written, in their order. */
  written: string[];
  /**
   * Starts the server on the same file and uses it until `use` is done, or the moment comes. `from: 'start'`
   * counts the transactions of the start too. Gives their number.
   */
  live(
    use: (life: Life) => Promise<void>,
    moment?: (Moment & { from: 'start' | 'use' }) | null,
  ): Promise<number>;
}

/** A new store with a paired machine. */
export const createCrashWorld = async (environment: Record<string, string>): Promise<CrashWorld> => {
  const folder = await newDataFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = configFrom({ DATA_DIR: folder, AGENT_MODEL: 'stub', ...environment });
  const { answerTo, written } = createJournal((name, path) => (name === 'write_file' ? [path] : []));
  let key: string | undefined;

  const connect = async (gateway: Gateway, isDead: () => boolean) => {
    if (key === undefined) {
      const { token } = await gateway.pairing.createLink(userId);
      key = (await gateway.daemon.init(token, initBody())).sessionKey ?? '';
    }
    const proof = key;
    const stream: DaemonStream = {
      send: (_, event) => {
        if (isDead()) return false;
        if (event.type !== 'filesystem-request') return true;
        const body = answerTo(event.payload);
        if (body) gateway.daemon.respond(proof, event.payload.requestId, body).catch(() => {});
        return true;
      },
      ready: () => Promise.resolve(),
      close: () => {},
    };
    await gateway.daemon.openStream(proof, stream);
  };

  const live: CrashWorld['live'] = async (use, moment = null) => {
    const { close, ...store } = openDatabase({ url: undefined, dataDir: folder });
    const { dead, isDead, count, die, startCounting, store: own } = mortal(store, moment);
    const whileAlive = (run: () => void) => () => void (!isDead() && run());
    const clock: Clock = {
      now: systemClock.now,
      after: (ms, run) => systemClock.after(ms, whileAlive(run)),
      every: (ms, run) => systemClock.every(ms, whileAlive(run)),
    };
    const errors: unknown[] = [];
    const onError = (error: unknown) => void (!isDead() && errors.push(error));
    const run = async () => {
      if (key === undefined) await migrate(store.db);
      if (moment?.from === 'start') startCounting();
      const gateway = createGateway({
        store: own,
        clock,
        limits: defaultLimits,
        pairing: { gatewayApiKey: undefined, secret: 'one', daemonCommand: String, isInsecure: () => false },
        module: {
          isAgentOn: async () => false,
          localGateway: true,
          localGatewayFallbackDirectory: null,
          canShareFolder: true,
        },
        isOwner: () => Promise.resolve(false),
        log: { info: () => {}, error: () => {} },
        onError,
      });
      await gateway.start();
      const server = createServerAgent({
        counted: (model) => model,
        environment: config,
        clock,
        store: own,
        callers: { gateway, clock, onError },
        secret: 'secret',
        workspaces: createSwitchedWorkspaces({ dataDir: folder, program: '', clock }),
        isUser: () => Promise.resolve(true),
        hide: () => {},
        onSettingsChanged: () => {},
        warn: () => {},
        onError,
      });
      await server.agent.start();
      await connect(gateway, isDead);
      startCounting();
      await use({ agent: server.agent, count, isDead });
    };
    await Promise.race([run(), dead]);
    await die();
    await close();
    const rows = openRows(folder);
    const wrong = rows.wrong();
    rows.close();
    if (wrong.length > 0 || errors.length > 0)
      throw new Error(JSON.stringify({ wrong, errors: errors.map(String) }));
    return count();
  };
  return { written, live };
};

const lookEveryMs = 10;

/** Acts again and again until it says that all is done. */
export const actUntilDone = async (life: Life, act: () => Promise<boolean>): Promise<void> => {
  while (!life.isDead() && !(await act())) await sleep(systemClock, lookEveryMs);
};
