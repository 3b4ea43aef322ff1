import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import type { InitReply } from '@drawbridge/contracts/daemon-reply';
import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import type { Release } from '@drawbridge/contracts/release';
import type { ProcessesBody, ProcessesQuery } from '@drawbridge/contracts/machines/processes';
import type { RuntimeList, RuntimesQuery } from '@drawbridge/contracts/machines/runtimes';
import type { RulesBody } from '@drawbridge/contracts/rule-list';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import { fullJitter, type Clock } from '@drawbridge/kit';
import type { Calls } from './calls.ts';
import {
  next,
  type Connection,
  type ConnectionEffect,
  type ConnectionEvent,
  type Ending,
  type Failure,
} from './connection.ts';
import type { ServerApi } from './server-api.ts';
import type { StreamEvents, Way } from './stream.ts';
import { createToolsUpdate, type ToolsUpdate } from './tools-update.ts';

type KnownAs = InitReply['machine'];

export type LinkReport =
  /** `offered`: the daemon that the server gives, `machine`: what it calls this one, where it says so. */
  | {
      type: 'connected';
      way: Way;
      refused: string | undefined;
      warnings: string[];
      offered: Release | undefined;
      machine: KnownAs;
    }
  /** The server has another list of this machine's tools. */
  | { type: 'tools'; warnings: string[] }
  /** The server's first event did not arrive: something in between buffers the stream. */
  | { type: 'held-back' }
  | { type: 'reconnecting'; inMs: number; sentence: string }
  | { type: 'unpaired'; failure: Failure }
  | { type: 'ended'; ending: Ending };

export interface SessionKey {
  get(): string;
  set(key: string): void;
}

export interface LinkNeeds {
  clock: Clock;
  random: () => number;
  api: ServerApi;
  open(key: string, events: StreamEvents): () => void;
  key: SessionKey;
  describe(): InitBody;
  calls: Calls;
  rules(query: RulesQuery): Promise<RulesBody>;
  processes(query: ProcessesQuery): Promise<ProcessesBody>;
  runtimes(query: RuntimesQuery): Promise<RuntimeList>;
  report(report: LinkReport): void;
}

const leaveMs = 3_000;
/** A server that sends a probe does so at once. */
const probeMs = 2_000;

const keyKind = (key: string) => (key.startsWith('gw_') ? 'pairing' : 'session');

/** Reports a stream that is held back when no probe comes, but only of a server that answers elsewhere. */
const watchForProbe = ({ clock, api, report }: LinkNeeds): (() => void) => {
  const over = new AbortController();
  const ask = async () => {
    const cancel = clock.after(probeMs, () => over.abort());
    const isThere = await api.isThere(over.signal).finally(cancel);
    if (isThere && !over.signal.aborted) report({ type: 'held-back' });
  };
  const cancel = clock.after(probeMs, () => void ask());
  return () => {
    cancel();
    over.abort();
  };
};

/** What the effects share. Each effect that waits gives a function that cancels it. */
interface LinkContext extends LinkNeeds {
  send(event: ConnectionEvent): void;
  toolsUpdate: ToolsUpdate;
  announced: {
    warnings: string[];
    offered: Release | undefined;
    machine: KnownAs;
    sendsProbes: boolean;
  };
}

const initialise = (context: LinkContext): (() => void) => {
  const { api, key, describe, send, toolsUpdate } = context;
  const abort = new AbortController();
  toolsUpdate.lost();
  toolsUpdate.described();
  const run = async () => {
    const reply = await api.init(key.get(), describe(), abort.signal);
    if (abort.signal.aborted) return;
    if (!reply.ok) return send({ type: 'failed', failure: reply.failure });
    const { sessionKey, warnings = [], daemon: offered, machine, epoch } = reply.value;
    key.set(sessionKey ?? key.get());
    // Servers that count epochs send probes too.
    context.announced = { warnings, offered, machine, sendsProbes: epoch !== undefined };
    send({ type: 'initialised' });
    toolsUpdate.ready();
  };
  void run();
  return () => abort.abort();
};

const openStream = (context: LinkContext): (() => void) => {
  const { api, calls, key, open, processes, report, rules, runtimes, send } = context;
  let stopProbeWatch: (() => void) | null = null;
  const answerRules = async ({ requestId, query }: { requestId: string; query: RulesQuery }) =>
    api.rules(key.get(), requestId, await rules(query));

  const answerProcesses = async ({ requestId, query }: { requestId: string; query: ProcessesQuery }) =>
    api.processes(key.get(), requestId, await processes(query));

  const answerRuntimes = async ({ requestId, query }: { requestId: string; query: RuntimesQuery }) =>
    api.runtimes(key.get(), requestId, await runtimes(query));

  const onEvent = (event: DaemonEvent) => {
    switch (event.type) {
      case 'filesystem-request':
        return calls.take(event.payload);
      case 'tool-call-cancel': {
        const { requestId, reason, denialReason } = event.payload;
        return calls.cancel(requestId, reason, denialReason);
      }
      case 'gateway-disconnect':
        return send({ type: 'disconnected', reason: event.payload.reason });
      case 'probe':
        stopProbeWatch?.();
        // A lost answer needs no retry: that it is missing is what the probe finds out.
        return void api.probe(key.get(), event.payload);
      case 'rules-request':
        return void answerRules(event.payload);
      case 'processes-request':
        return void answerProcesses(event.payload);
      case 'runtimes-request':
        return void answerRuntimes(event.payload);
      default:
        return event satisfies never;
    }
  };

  const close = open(key.get(), {
    tried: (way) => {
      if (way === 'stream' && context.announced.sendsProbes) stopProbeWatch = watchForProbe(context);
    },
    opened: (way, refused) => {
      const { warnings, offered, machine } = context.announced;
      send({ type: 'opened' });
      report({ type: 'connected', way, refused, warnings, offered, machine });
      context.announced.warnings = [];
    },
    event: onEvent,
    failed: (failure) => send({ type: 'failed', failure }),
  });
  return () => {
    stopProbeWatch?.();
    close();
  };
};

const wait = (
  { clock, random, report, send }: LinkContext,
  { ceilingMs, sentence }: Extract<ConnectionEffect, { type: 'wait' }>,
): (() => void) => {
  const inMs = fullJitter(ceilingMs, random);
  const cancel = clock.after(inMs, () => send({ type: 'waited' }));
  report({ type: 'reconnecting', inMs, sentence });
  return cancel;
};

const leave = ({ api, clock, key }: LinkNeeds): ReturnType<ServerApi['leave']> => {
  const abort = new AbortController();
  const cancel = clock.after(leaveMs, () => abort.abort());
  return api.leave(key.get(), abort.signal).finally(cancel);
};

/** Runs the connection's state machine: performs its effects and reports their outcome to it. */
export const createLink = (needs: LinkNeeds) => {
  const { clock, api, key, describe, report } = needs;
  let state: Connection = { kind: 'idle' };
  /** Ends the init, the stream or the wait that is under way. */
  let release: (() => void) | null = null;
  let leaving: ReturnType<ServerApi['leave']> = Promise.resolve({ endedPairing: false });

  const perform = (effect: ConnectionEffect): void => {
    switch (effect.type) {
      case 'initialise':
        release = initialise(context);
        return;
      case 'open':
        release = openStream(context);
        return;
      case 'wait':
        release = wait(context, effect);
        return;
      case 'release':
        release?.();
        release = null;
        return;
      case 'ask-for-token':
        return report({ type: 'unpaired', failure: effect.failure });
      case 'leave':
        leaving = leave(needs);
        return;
      case 'end':
        context.toolsUpdate.lost();
        return report({ type: 'ended', ending: effect.ending });
      default:
        effect satisfies never;
    }
  };
  const send = (event: ConnectionEvent): void => {
    const step = next(state, event);
    state = step.state;
    for (const effect of step.effects) perform(effect);
  };

  const toolsUpdate = createToolsUpdate({
    clock,
    describe: () => {
      const { tools, toolCategories, modes } = describe();
      return { tools, ...(toolCategories && { toolCategories }), ...(modes && { modes }) };
    },
    post: (body) => api.tools(key.get(), body),
    sent: (warnings) => report({ type: 'tools', warnings }),
    unknown: () => send({ type: 'unknown-here' }),
  });
  const announced = { warnings: [], offered: undefined, machine: undefined, sendsProbes: false };
  const context: LinkContext = { ...needs, send, toolsUpdate, announced };

  return {
    /** Connects with a pairing token or a session key; once more after `unpaired`. */
    giveKey: (newKey: string) => {
      key.set(newKey);
      send({ type: 'key-given', keyKind: keyKind(newKey) });
    },
    /** `describe` gives another list of tools now: it is sent at once or with the next init. */
    toolsChanged: toolsUpdate.changed,
    /** Ends the connection, and the pairing if `leave` does; resolves when the server knows, or after 3 s. */
    stop: () => {
      send({ type: 'stop' });
      return leaving;
    },
  };
};
