import { rmSync } from 'node:fs';
import type { DaemonEvent, ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { InitBody, ResponseBody } from '@drawbridge/contracts/daemon-surface';
import type { Clock, FakeClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { afterEach, expect } from 'vitest';
import { migrate, type OpenDatabase } from '../src/db/index.ts';
import type { Call } from '@drawbridge/contracts/calls';
import type { StateChanged } from '@drawbridge/contracts/gateway';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import type { ToolCall } from '@drawbridge/contracts/tool-call';
import {
  type CallOptions,
  createGateway,
  createServersStore,
  defaultLimits,
  type DaemonStream,
  type Gateway,
  type GatewayLimits,
  type DaemonCredentials,
  joinServers,
  type ThisServer,
} from '../src/gateway/index.ts';
import type { MachineRef } from '../src/gateway/index.ts';
import { requireMachine } from '../src/callers/index.ts';
import { subscribe } from '../src/readers/index.ts';
import { newGatewayFolder } from './new-store.ts';
import { createStoreClock, onPostgres, openTestStore } from './store-place.ts';
import type { TestProcess } from './test-process.ts';

/** No other process changes the store of these tests; hours of a fake clock pass faster without the check. */
const rarelyMs = 24 * 60 * 60_000;

/** A gateway on a real SQLite file and a clock that stands still. */
export interface GatewayFixture {
  clock: FakeClock;
  gateway: Gateway;
  database: OpenDatabase;
  /** What went wrong beside the calls. */
  errors: unknown[];
  /** What was told in the log, but for connections. */
  log: object[];
  /** What the log says of connections. */
  connections: string[];
  /** Another gateway on the same file, as after a crash; the first one must not be used again. */
  crash(): Promise<GatewayFixture>;
  /** Another server on the same store. */
  beside(process: Pick<TestProcess, 'bus' | 'clock'>): Promise<Gateway>;
  /** The same with what else works there; `gate` changes how it reaches the store. */
  join(
    process: Pick<TestProcess, 'bus' | 'clock'>,
    gate?: (store: OpenDatabase) => OpenDatabase,
  ): Promise<{ gateway: Gateway; server: ThisServer; store: OpenDatabase }>;
  close(): Promise<void>;
}

export interface FixtureOptions {
  limits?: Partial<GatewayLimits>;
  gatewayApiKey?: string;
  owners?: string[];
  /** Where the store is kept; a folder of its own when undefined. */
  folder?: string;
  /** Timers run this much before their time, as Node's may. */
  timersEarlyMs?: number;
}

export const openGateway = async (options: FixtureOptions = {}): Promise<GatewayFixture> => {
  const { timersEarlyMs = 0 } = options;
  const folder = options.folder ?? (await newGatewayFolder());
  const clock = createStoreClock();
  const opened: OpenDatabase[] = [];

  const open = async (): Promise<GatewayFixture> => {
    const database = await openTestStore(folder);
    const store = {
      ...database,
      now: () => Promise.resolve(clock.now()),
      readTime: () => sql<number>`cast(${clock.now()} as bigint)`,
    };
    opened.push(database);
    if (!onPostgres) await migrate(database.db);
    const errors: unknown[] = [];
    const log: object[] = [];
    const connections: string[] = [];
    const record = (what: object, sentence: string) =>
      void (/^machine (dis)?connected/.test(sentence)
        ? connections.push(sentence)
        : log.push({ ...what, sentence }));
    let alive = true;
    const whileAlive = (run: () => void) => () => void (alive && run());
    const ownClock: Clock = {
      now: () => clock.now(),
      after: (ms, run) => clock.after(Math.max(Math.min(ms, 1), ms - timersEarlyMs), whileAlive(run)),
      every: (ms, run) => clock.every(ms, whileAlive(run)),
    };
    const onError = (error: unknown) => void errors.push(error);
    const make = (server?: ThisServer, own: OpenDatabase = store) =>
      createGateway({
        store: own,
        clock: ownClock,
        limits: { ...defaultLimits, revokedEveryMs: rarelyMs, ...options.limits },
        pairing: {
          gatewayApiKey: options.gatewayApiKey,
          secret: 'of all servers',
          daemonCommand: (token) => `drawbridge ${token}`,
          isInsecure: () => false,
        },
        module: {
          isAgentOn: async () => false,
          localGateway: true,
          localGatewayFallbackDirectory: null,
          canShareFolder: true,
        },
        isOwner: (userId) => Promise.resolve((options.owners ?? []).includes(userId)),
        log: { info: record, error: record },
        onError,
        ...(server && { server }),
      });
    const gateway = make();
    const others: Gateway[] = [];
    const join: GatewayFixture['join'] = async (process, gate = (one) => one) => {
      const own = gate(store);
      const needs = { ...process, version: '1.0.0', log: { info: record }, onError };
      const server = await joinServers({ ...needs, store: createServersStore(own) });
      const other = make(server, own);
      others.push(other);
      await other.start();
      return { gateway: other, server, store: own };
    };
    const beside: GatewayFixture['beside'] = async (process) => (await join(process)).gateway;
    await gateway.start();
    const crash = async () => {
      alive = false;
      await database.close();
      return open();
    };
    const close = async () => {
      for (const one of [gateway, ...others]) await one.stop();
      for (const one of opened) await one.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    };
    return { clock, gateway, database, errors, log, connections, crash, beside, join, close };
  };
  return open();
};

/** The server's end of a daemon's stream, kept for reading. */
export interface FakeStream extends DaemonStream {
  events: DaemonEvent[];
  frameIds: number[];
  isClosed(): boolean;
  /** The requests that were written, in order. */
  requests(): ToolRequest[];
  /** The daemon's side goes away. */
  drop(): void;
}

export const openStream = async (gateway: Gateway, proof: DaemonCredentials): Promise<FakeStream> => {
  let closed = false;
  const events: DaemonEvent[] = [];
  const frameIds: number[] = [];
  const stream: DaemonStream = {
    send: (frameId, event) => {
      if (closed) return false;
      frameIds.push(frameId);
      events.push(event);
      return true;
    },
    ready: () => Promise.resolve(),
    close: () => {
      closed = true;
    },
  };
  const detach = await gateway.daemon.openStream(proof, stream);
  return {
    ...stream,
    events,
    frameIds,
    isClosed: () => closed,
    requests: () => events.flatMap((event) => (event.type === 'filesystem-request' ? [event.payload] : [])),
    drop: () => {
      closed = true;
      detach();
    },
  };
};

const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });

/** A daemon of ours; leave `daemon` away for one that knows only the specification. */
export const initBody = (more: Partial<InitBody> = {}): InitBody => ({
  rootPath: '/home/ada/notes',
  hostIdentifier: 'ada-laptop',
  tools: [tool('read_file'), tool('write_file')],
  toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
  daemon: { version: '0.1.0', protocol: 1, features: ['resume', 'cancel', 'progress'] },
  ...more,
});

/** Pairs a machine for the user and opens its stream. */
export const connect = async (gateway: Gateway, userId: string, body: InitBody = initBody()) => {
  const { token } = await gateway.pairing.createLink(userId);
  const { sessionKey } = await gateway.daemon.init(token, body);
  if (sessionKey === undefined) throw new Error('The init gave no session key');
  return { key: sessionKey, stream: await openStream(gateway, sessionKey) };
};

export interface TestGateway extends Pick<
  GatewayFixture,
  'clock' | 'gateway' | 'database' | 'log' | 'connections'
> {
  open(options?: FixtureOptions): Promise<void>;
  /** Goes on with another gateway on the same file, as after a crash. */
  crash(): Promise<void>;
  /** Pairs a machine for the user and opens its stream. */
  connect(userId: string, body?: InitBody): ReturnType<typeof connect>;
  openStream(proof: DaemonCredentials): Promise<FakeStream>;
  /** Opens, and connects a machine of `ada`. */
  connected(
    options?: FixtureOptions,
    body?: InitBody,
  ): Promise<Pick<GatewayFixture, 'clock' | 'gateway' | 'database'> & Awaited<ReturnType<typeof connect>>>;
}

/** The gateway of the current test, closed after it; fails the test on an error outside its calls. */
export const useGateway = (): TestGateway => {
  let opened: GatewayFixture | undefined;
  const current = () => {
    if (!opened) throw new Error('No gateway is open');
    return opened;
  };
  afterEach(async () => {
    expect(current().errors).toEqual([]);
    await current().close();
    opened = undefined;
  });
  return {
    get clock() {
      return current().clock;
    },
    get gateway() {
      return current().gateway;
    },
    get database() {
      return current().database;
    },
    get log() {
      return current().log;
    },
    get connections() {
      return current().connections;
    },
    open: async (options) => void (opened = await openGateway(options)),
    crash: async () => void (opened = await current().crash()),
    connect: (userId, body) => connect(current().gateway, userId, body),
    openStream: (proof) => openStream(current().gateway, proof),
    connected: async (options, body) => {
      opened = await openGateway(options);
      const { clock, gateway, database } = opened;
      return { clock, gateway, database, ...(await connect(gateway, 'ada', body)) };
    },
  };
};

/** What the user sees of their default machine, on each change. */
export const watchStatus = (gateway: Gateway, userId: string, listener: (event: StateChanged) => void) => {
  const onError = (error: unknown) => {
    throw error;
  };
  const { signal } = new AbortController();
  const reader = { user: { userId }, topics: ['machine-changes' as const], signal };
  const follow = async () => {
    for await (const { topic, event } of subscribe({ gateway, onError }, reader))
      if (topic === 'machine') listener(event);
  };
  void follow();
};

/** Queries the rules of the user's default machine. */
export const queryRules = async (gateway: Gateway, userId: string, query: RulesQuery) =>
  gateway.rules.query(await requireMachine(gateway, { userId }), query);

/** How a call is made, and until when its maker waits. */
export interface RunOptions extends CallOptions {
  until: 'ended' | 'asked';
}

/** Makes a call and waits for it, as a door does. */
export const runCall = async (
  gateway: Pick<Gateway, 'calls'>,
  { ref, call }: { ref: MachineRef; call: ToolCall },
  { until, signal, ...options }: RunOptions,
): Promise<Call> => {
  const handle = await gateway.calls.open(ref, call, { ...options, ...(signal && { signal }) });
  return handle.waitOrCancel({ until, signal });
};

/** Runs tools on the user's default machine, as `callers` does. */
export const callerOf = (gateway: Gateway, userId: string) => ({
  run: async (call: ToolCall, options: RunOptions): Promise<Call> =>
    runCall(gateway, { ref: await requireMachine(gateway, { userId }), call }, options),
});

/** How a call is made that is waited for. */
export const ended = { door: 'trpc', until: 'ended' } as const;

/** The id of a request that was written on a stream, the last one's when `at` is left away. */
export const idOf = (stream: FakeStream, at = -1) => stream.requests().at(at)?.requestId ?? 'none';

export const text = (value: string, more: object = {}): ResponseBody => ({
  result: { content: [{ type: 'text', text: value }], ...more },
});

/** A question as a daemon asks it. */
export const question = (more: object = {}): ResponseBody => {
  const payload = {
    toolGroup: 'filesystemWrite',
    resource: '/home/ada/notes/a.txt',
    description: 'Write a.txt',
    options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
    askId: 'ask-1',
    ...more,
  };
  return text(`GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify(payload)}`, { isError: true });
};
