import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Invitation, User } from '@drawbridge/contracts/accounts';
import type { Call, RunInput } from '@drawbridge/contracts/calls';
import type { Confirmation, DecideInput, DecideReply } from '@drawbridge/contracts/confirmation';
import type { GatewayStatus, MachineChoice } from '@drawbridge/contracts/gateway';
import {
  machineInput,
  optionalMachineInput,
  type MachineNumbers,
  type MachineSummary,
} from '@drawbridge/contracts/machines/summary';
import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import type { LiveEvent } from '@drawbridge/contracts/live';
import {
  listProcessesInput,
  processIdInput,
  processPortInput,
  type ProcessList,
} from '@drawbridge/contracts/machines/processes';
import { testRuntimeInput, type RuntimeList } from '@drawbridge/contracts/machines/runtimes';
import type { KnownRules } from '@drawbridge/contracts/rule-list';
import type { Repeated } from '@drawbridge/contracts/machines/repeated';
import type { Recap } from '@drawbridge/contracts/machines/recap';
import type { NewRule } from '@drawbridge/contracts/rules';
import type { Settings } from '@drawbridge/contracts/settings';
import type { AccessToken } from '@drawbridge/contracts/tokens';
import type { Tool } from '@drawbridge/contracts/tool';
import { callIdInput, listCallsInput, runInput } from '@drawbridge/contracts/calls';
import {
  confirmationChangesInput,
  confirmationIdInput,
  decideInput,
} from '@drawbridge/contracts/confirmation';
import { newRuleInput, ruleIdInput } from '@drawbridge/contracts/rules';
import { updateSettingsInput } from '@drawbridge/contracts/settings';
import { createTokenInput, tokenIdInput } from '@drawbridge/contracts/tokens';
import { createEmitter } from '@drawbridge/kit';
import { tracked, TRPCError } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { createAgentRouter, createFrames, type AgentWorld } from './fixture-agent.ts';
import { t } from './fixture-trpc.ts';

/** What the fixture answers with; tests change it as they go. */
export interface World {
  user: User | null;
  status: GatewayStatus;
  machines: MachineSummary[];
  numbers: MachineNumbers[];
  tools: Tool[];
  calls: Call[];
  confirmations: Confirmation[];
  recap: () => Recap | null;
  repeated: Repeated[];
  rules: () => KnownRules;
  removed: string[];
  added: NewRule[];
  processes: ProcessList;
  runtimes: RuntimeList;
  stopped: string[];
  settings: Settings;
  invitations: Invitation[];
  tokens: AccessToken[];
  command: {
    token: string;
    command: string;
    expiresAt: string | null;
    ttlSeconds: number | null;
    insecure?: true;
  };
  setupNeeded: boolean;
  run: (input: RunInput) => Promise<Call>;
  decide: (input: DecideInput) => DecideReply;
  agent: AgentWorld;
}

export const tokenOf = (change: Partial<AccessToken> = {}): AccessToken => ({
  id: 't1',
  name: 'Desk',
  scopes: ['filesystemRead'],
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-04-01T00:00:00.000Z',
  lastUsedAt: null,
  lastUsedFrom: null,
  ...change,
});

const choiceOf = ({ id, name, isDefault, state, folder, pausedAt }: MachineSummary): MachineChoice => ({
  id,
  name,
  isDefault,
  isConnected: state !== 'offline',
  isPaused: pausedAt !== null,
  directory: state === 'offline' ? null : folder,
});

interface Streams {
  events: ReturnType<typeof createEvents>;
  frames: ReturnType<typeof createFrames>;
}

const createRouter = (world: World, { events, frames }: Streams) => {
  const open = t.procedure;
  const own = t.procedure.use(({ next }) => {
    if (world.user === null) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'Not signed in' });
    return next();
  });

  async function* follow(signal: AbortSignal | undefined) {
    const waiting: LiveEvent[] = [
      { topic: 'machine', event: { type: 'instanceAiGatewayStateChanged', payload: world.status } },
    ];
    let wake = () => {};
    const stop = events.on('all', (event) => {
      waiting.push(event);
      wake();
    });
    signal?.addEventListener('abort', () => wake());
    let id = 0;
    try {
      while (!signal?.aborted) {
        const event = waiting.shift();
        if (event === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield tracked(String((id += 1)), event);
      }
    } finally {
      stop();
    }
  }

  const callOf = (requestId: string) => {
    const call = world.calls.find((candidate) => candidate.requestId === requestId);
    if (!call) throw new TRPCError({ code: 'NOT_FOUND', message: 'Not found' });
    return call;
  };

  return t.router({
    account: t.router({ me: open.query(() => world.user) }),
    setup: t.router({ status: open.query(() => ({ needed: world.setupNeeded })) }),
    gateway: t.router({
      status: own.query(() => world.status),
      machines: own.query(() => world.machines.map(choiceOf)),
    }),
    machines: t.router({
      list: own.query(() => world.machines),
      forgotten: own.query(() => []),
      numbers: own.query(() => world.numbers),
      tools: own.query(() => world.tools),
      link: own.input(optionalMachineInput).mutation(() => world.command),
      runtimes: own.input(machineInput).query(() => world.runtimes),
      testRuntime: own.input(testRuntimeInput).mutation(() => world.runtimes),
      pause: own.mutation(() => ({ calls: 0, questions: 0 })),
      resume: own.mutation(() => ({ ok: true as const })),
    }),
    calls: t.router({
      run: own.input(runInput).mutation(({ input }) => world.run(input)),
      get: own.input(callIdInput).query(({ input }) => callOf(input.requestId)),
      // Their order is that of `world.calls`, the newest first.
      around: own.input(callIdInput).query(({ input }) => {
        const at = world.calls.indexOf(callOf(input.requestId));
        return { before: world.calls[at + 1] ?? null, after: world.calls[at - 1] ?? null };
      }),
      recap: own.mutation(() => world.recap()),
      repeated: own.query(() => world.repeated),
      cancel: own.input(callIdInput).mutation(({ input }) => callOf(input.requestId)),
      list: own.input(listCallsInput).query(({ input }) => {
        const start = Number(input.cursor ?? 0);
        const next = start + input.limit;
        const { machine, tool, state, from = '', to = '~' } = input;
        const fitting = world.calls.filter(
          (call) =>
            (machine ?? call.machineId) === call.machineId &&
            (tool ?? call.tool) === call.tool &&
            (state ?? call.state) === call.state &&
            call.createdAt >= from &&
            call.createdAt < to,
        );
        return {
          calls: fitting.slice(start, next),
          nextCursor: next < fitting.length ? String(next) : null,
        };
      }),
    }),
    confirmations: t.router({
      list: own.query(() => world.confirmations.filter(({ state }) => state === 'open')),
      changes: own.input(confirmationChangesInput).query(({ input: { known } }) => {
        const open = world.confirmations.filter(({ state }) => state === 'open');
        return {
          asked: open.filter(({ id }) => !known.includes(id)),
          closed: known.filter((id) => !open.some((one) => one.id === id)),
        };
      }),
      get: own.input(confirmationIdInput).query(({ input }) => {
        const found = world.confirmations.find(({ id }) => id === input.confirmationId);
        if (!found) throw new TRPCError({ code: 'NOT_FOUND', message: 'Not found' });
        return found;
      }),
      decide: own.input(decideInput).mutation(({ input }) => world.decide(input)),
    }),
    agent: createAgentRouter(world.agent, frames),
    live: t.router({ onEvent: own.subscription(({ signal }) => follow(signal)) }),
    rules: t.router({
      list: own.query(() => world.rules()),
      remove: own.input(ruleIdInput).mutation(({ input }) => {
        world.removed.push(input.ruleId);
        return world.rules();
      }),
      add: own.input(newRuleInput).mutation(({ input: { machineId: _machine, ...rule } }) => {
        world.added.push(rule);
        return world.rules();
      }),
    }),
    processes: t.router({
      list: own.input(listProcessesInput).query(() => world.processes),
      stop: own.input(processIdInput).mutation(({ input: { process } }) => {
        world.stopped.push(process);
        const end = { cause: 'user' as const, exitCode: 143, at: '2026-01-01T00:00:00.000Z' };
        const { processes } = world.processes;
        world.processes = { processes: processes.map((one) => (one.id === process ? { ...one, end } : one)) };
        return world.processes;
      }),
      open: own.input(processPortInput).mutation(({ input: { process, port } }) => ({
        ...world.processes,
        opened: { process, port, url: `http://${process}.localhost:40000` },
      })),
    }),
    tokens: t.router({
      list: own.query(() => world.tokens),
      create: own
        .input(createTokenInput)
        .mutation(({ input: { expiresInDays: _days, machines: _machines, ...input } }) => {
          const made = tokenOf({ id: `t${world.tokens.length + 1}`, ...input });
          world.tokens = [made, ...world.tokens];
          return { ...made, token: 'dbt_shown-once' };
        }),
      revoke: own.input(tokenIdInput).mutation(({ input }) => {
        world.tokens = world.tokens.filter(({ id }) => id !== input.id);
        return { ok: true as const };
      }),
    }),
    clients: t.router({ list: own.query(() => []) }),
    settings: t.router({
      get: own.query(() => world.settings),
      update: own.input(updateSettingsInput).mutation(() => world.settings),
    }),
    invitations: t.router({
      list: own.query(() => world.invitations),
      create: own.mutation(() => ({
        id: 'i9',
        createdAt: '2026-01-01T00:00:00.000Z',
        expiresAt: '2026-01-08T00:00:00.000Z',
        url: 'http://127.0.0.1:5820/invitation#token=invite_8aU2kT5c',
      })),
      revoke: own.mutation(() => ({ ok: true as const })),
    }),
  });
};

const createEvents = () =>
  createEmitter<LiveEvent>((error) => {
    throw error;
  });

export interface Fixture {
  origin: string;
  world: World;
  emit(event: LiveEvent): void;
  /** Sends a frame to all readers of a thread. */
  frame(frame: ThreadFrame): void;
  /** How many readers the threads have. */
  followers(): number;
  /** How many readers the stream has. */
  readers(): number;
  close(): Promise<void>;
}

interface Options {
  port?: number;
  /** Answers what is not below `/trpc`. */
  fallback?: Parameters<typeof createServer>[1];
}

/** A server with the panel's procedures over a world in memory, on a real socket of 127.0.0.1. */
export const startFixture = async (world: World, { port = 0, fallback }: Options = {}): Promise<Fixture> => {
  const events = createEvents();
  const frames = createFrames();
  const handler = createHTTPHandler({ router: createRouter(world, { events, frames }), basePath: '/trpc/' });
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/trpc/')) handler(request, response);
    else if (fallback) fallback(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // A TCP server's address is never a string.
  const { port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${bound}`,
    world,
    emit: (event) => events.emit('all', event),
    frame: (frame) => frames.emit('all', frame),
    followers: () => frames.count('all'),
    readers: () => events.count('all'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
