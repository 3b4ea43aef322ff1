import { type EndedRun, personSender } from '@drawbridge/agent';
import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type { SendInput } from '@drawbridge/contracts/agent/threads';
import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import { nextMacrotask } from '@drawbridge/kit';
import { expect, onTestFinished } from 'vitest';
import { startScriptedModel, type Script } from '../../../e2e/agent/scripted-model.ts';
import { createAgentServers, createServerAgent, createSwitchedWorkspaces } from '../src/agent/index.ts';
import { configFrom } from '../src/config.ts';
import type { OpenDatabase } from '../src/db/index.ts';
import { errors as serverErrors } from '../src/errors.ts';
import type { DaemonStream, Gateway } from '../src/gateway/index.ts';
import { createJournal } from './agent.ts';
import { initBody, openGateway } from './gateway-fixture.ts';
import { createLossyHub, type Fate } from './lossy-bus.ts';
import { createTestProcess } from './test-process.ts';

const pollMs = 2_000;
export const userId = 'ada';
export const threadId = 'thread';
const stepMs = 50;
/** Of the fake clock; none of the tests takes a minute of it. */
const patienceMs = 120_000;

/** While a process is suspended, what it writes waits; after its end it waits for ever. */
const createGate = () => {
  let open = Promise.resolve();
  let release: (() => void) | null = null;
  return {
    through: async <Result>(run: () => Promise<Result>): Promise<Result> => {
      await open;
      return run();
    },
    close: () => {
      if (release === null) ({ promise: open, resolve: release } = Promise.withResolvers<void>());
    },
    open: () => {
      release?.();
      release = null;
    },
  };
};

/** Servers on one store with an agent each; a third one without has the machine's stream. */
export const openTwoAgents = async (script: Script, { fate = () => 'arrives' }: { fate?(): Fate } = {}) => {
  const model = await startScriptedModel(script);
  const fixture = await openGateway();
  const { clock, errors } = fixture;
  await fixture.gateway.stop();
  const onError = (error: unknown) => void errors.push(error);
  const hub = createLossyHub({ clock, fate, onError });
  const environment = configFrom({ AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url });
  const stops: (() => Promise<void>)[] = [];
  const endedRuns: EndedRun[] = [];

  const join = async (id: string) => {
    const gate = createGate();
    let fatal = (_sql: string) => false;
    let refused = (_sql: string) => false;
    const gated = (store: OpenDatabase): OpenDatabase => ({
      ...store,
      commit: (writes, durability) => {
        const sql = writes.map((write) => ('rows' in write ? write.query.sql : write.sql)).join(';');
        if (fatal(sql)) stopProcess();
        if (refused(sql)) {
          refused = () => false;
          return Promise.reject(serverErrors.storeUnavailable());
        }
        return gate.through(() => store.commit(writes, durability));
      },
    });
    const stopProcess = () => {
      fatal = () => false;
      suspend(true);
      gate.close();
    };
    const { suspend, ...process } = createTestProcess(clock, hub.open(id, { pollMs }));
    const { gateway, server, store } = await fixture.join(process, gated);
    const { agent, stop } = createServerAgent({
      environment,
      clock: server.clock,
      store,
      callers: { gateway, clock: server.clock, onError },
      servers: createAgentServers(server, store),
      secret: 'of all servers',
      workspaces: createSwitchedWorkspaces({ dataDir: '', program: '', clock }),
      counted: (port) => port,
      isUser: () => Promise.resolve(true),
      hide: () => {},
      onSettingsChanged: () => {},
      warn: () => {},
      onError,
    });
    agent.onRunEnded((run) => endedRuns.push(run));
    await agent.start();
    stops.push(stop);
    return {
      id,
      agent,
      gateway,
      stop,
      suspend: stopProcess,
      /** Suspends it just before it writes this. */
      suspendBefore: (part: string) => {
        fatal = (sql) => sql.includes(part);
      },
      /** The store is away for one write of this. */
      refuseOnce: (part: string) => {
        refused = (sql) => sql.includes(part);
      },
      goOn: () => {
        suspend(false);
        gate.open();
      },
      say: (message: string, more: Partial<SendInput> = {}) =>
        agent.send(personSender(userId, 'panel'), threadId, {
          message,
          attachments: [],
          mode: 'queue',
          ...more,
        }),
    };
  };
  const one = await join('one');
  const two = await join('two');
  const holder = await fixture.beside(createTestProcess(clock, hub.open('holder', { pollMs })));
  const { answerTo, written } = createJournal((name, path) => [`${name} ${path}`]);
  /** Pairs a machine with those tools, whose stream that server has. */
  const connect = async (
    { gateway: { pairing, daemon } }: { gateway: Gateway },
    tools: InitBody['tools'] | undefined,
    onRequest: (request: ToolRequest, key: string) => void,
  ) => {
    const { token } = await pairing.createLink(userId);
    const key = (await daemon.init(token, initBody(tools && { tools }))).sessionKey ?? '';
    const stream: DaemonStream = {
      send: (_, event) => {
        if (event.type === 'filesystem-request') onRequest(event.payload, key);
        return true;
      },
      ready: () => Promise.resolve(),
      close: () => {},
    };
    await daemon.openStream(key, stream);
    return key;
  };
  const requests: string[] = [];
  await connect({ gateway: holder }, undefined, (request, key) => {
    requests.push(request.requestId);
    const body = answerTo(request);
    if (body) holder.daemon.respond(key, request.requestId, body).catch(() => {});
  });

  /** Lets time pass until it is so; requests to the model take real time. */
  const until = async (isSo: () => Promise<boolean> | boolean, what = 'it') => {
    const begunAt = clock.now();
    while (!(await isSo())) {
      if (clock.now() - begunAt > patienceMs)
        throw new Error(`${what} did not happen: ${errors.map(String).join('; ')}`);
      await clock.settle(stepMs);
      for (let turn = 0; turn < 20; turn += 1) await nextMacrotask();
    }
    return clock.now() - begunAt;
  };
  const { db } = fixture.database;
  const thread = () =>
    db.selectFrom('agentThreads').selectAll().where('id', '=', threadId).executeTakeFirst();
  const events = async () => (await two.agent.threads.eventsAfter(userId, threadId, 0)).events;
  const ofType = async (type: string) => (await events()).filter(({ event }) => event.type === type);
  const asks = async () => Object.values((await snapshot()).view.asks);
  const snapshot = () => two.agent.threads.snapshot(userId, threadId, { limit: 50 });
  const answer = (server: typeof one, requestId: string, given: AskAnswer) =>
    server.agent.confirm(userId, requestId, given);
  const close = async () => {
    for (const server of [one, two]) server.goOn();
    await Promise.all(stops.map((stop) => stop()));
    await fixture.close();
    await model.close();
  };
  return {
    ...{ clock, errors, db, hub, model, join, one, two, holder, written, requests, until },
    endedRuns,
    ...{ thread, events, ofType, asks, snapshot, answer, connect, close },
    /** How its runs have ended. */
    ends: async () =>
      (await ofType('run-finish')).map(({ event: { payload } }) => 'status' in payload && payload.status),
    drivenBy: async () => (await thread())?.driverId ?? null,
  };
};

export type TwoAgents = Awaited<ReturnType<typeof openTwoAgents>>;

/** The same, closed after the test, which fails for an error beside it and for a gap in the events. */
export const useTwoAgents = async (...given: Parameters<typeof openTwoAgents>): Promise<TwoAgents> => {
  const world = await openTwoAgents(...given);
  onTestFinished(world.close);
  return world;
};

/** What holds at the end of each story: numbers without a gap, each step and each call once. */
export const expectWhole = async (world: TwoAgents): Promise<void> => {
  const events = await world.events();
  expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
  const named = (type: string, name: (payload: object) => unknown) =>
    events.flatMap(({ event }) => (event.type === type ? [JSON.stringify(name(event))] : []));
  for (const type of ['text-block', 'tool-call', 'tool-result', 'run-start', 'run-finish']) {
    const all = named(type, ({ ...event }) => ({ ...event, ts: 0 }));
    expect(all).toEqual([...new Set(all)]);
  }
  expect(world.written).toEqual([...new Set(world.written)]);
  expect(world.errors).toEqual([]);
};
