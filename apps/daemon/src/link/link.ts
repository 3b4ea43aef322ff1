import type { DaemonEvent, InitBody, RulesBody, RulesQuery } from '@drawbridge/contracts';
import { fullJitter, type Clock } from '@drawbridge/kit';
import type { Calls } from './calls.ts';
import {
  next,
  type Connection,
  type ConnectionEffect,
  type ConnectionEvent,
  type Ending,
} from './connection.ts';
import type { ServerApi } from './server-api.ts';
import type { StreamEvents } from './stream.ts';
import { createToolsUpdate } from './tools-update.ts';

/** What the link says to whoever shows it. */
export type LinkReport =
  | { type: 'connected'; warnings: string[] }
  /** The server has another list of this machine's tools. */
  | { type: 'tools'; warnings: string[] }
  /** The server's first words on the stream did not come: something in between holds them back. */
  | { type: 'held-back' }
  | { type: 'reconnecting'; inMs: number; sentence: string }
  | { type: 'unpaired'; sentence: string }
  | { type: 'ended'; ending: Ending };

export interface KeyHolder {
  get(): string;
  /** A new key, given by the person or by the server. */
  set(key: string): void;
}

export interface LinkNeeds {
  clock: Clock;
  random: () => number;
  api: ServerApi;
  open(key: string, events: StreamEvents): () => void;
  key: KeyHolder;
  describe(): InitBody;
  calls: Calls;
  /** Answers a question about the rules of this machine. */
  rules(query: RulesQuery): Promise<RulesBody>;
  report(report: LinkReport): void;
}

export interface Link {
  /** Connects with a pairing token or a session key; once more after `unpaired`. */
  giveKey(key: string): void;
  /** `describe` gives another list of tools: the server hears of it, at once or with the next init. */
  toolsChanged(): void;
  /** Ends the session for good, and tells the server; resolves when it was told, or after 3 s. */
  stop(): Promise<void>;
  /** Ends the connection; the session goes on with the next process. */
  pause(): void;
}

const leaveMs = 3_000;
/** A server that sends a probe does so at once. */
const probeMs = 2_000;

const keyKind = (key: string) => (key.startsWith('gw_') ? 'pairing' : 'session');

/** Runs the connection's state machine: does its effects and tells it what came of them. */
export const createLink = (needs: LinkNeeds): Link => {
  const { clock, random, api, open, key, describe, calls, report } = needs;
  let state: Connection = { kind: 'idle' };
  let letGo = () => {};
  let warnings: string[] = [];
  let isProbing = false;
  let probed = () => {};
  let leaving: Promise<unknown> = Promise.resolve();

  const toolsUpdate = createToolsUpdate({
    clock,
    describe: () => {
      const { tools, toolCategories } = describe();
      return { tools, ...(toolCategories && { toolCategories }) };
    },
    post: (body) => api.tools(key.get(), body),
    sent: (left) => report({ type: 'tools', warnings: left }),
    unknown: () => send({ type: 'unknown-here' }),
  });

  const initialise = async () => {
    toolsUpdate.lost();
    toolsUpdate.described();
    const abort = new AbortController();
    letGo = () => abort.abort();
    const reply = await api.init(key.get(), describe(), abort.signal);
    if (abort.signal.aborted) return;
    if (!reply.ok) return send({ type: 'failed', failure: reply.failure });
    key.set(reply.value.sessionKey ?? key.get());
    warnings = reply.value.warnings ?? [];
    // Servers have learnt to count epochs and to send probes at the same time.
    isProbing = reply.value.epoch !== undefined;
    send({ type: 'initialised' });
    toolsUpdate.ready();
  };

  const answerRules = async ({ requestId, query }: { requestId: string; query: RulesQuery }) =>
    api.rules(key.get(), requestId, await needs.rules(query));

  const onEvent = (event: DaemonEvent) => {
    switch (event.type) {
      case 'filesystem-request':
        return calls.take(event.payload);
      case 'tool-call-cancel':
        return calls.cancel(event.payload.requestId, event.payload.reason);
      case 'gateway-disconnect':
        return send({ type: 'told', reason: event.payload.reason });
      case 'probe':
        probed();
        // One that is not answered says what it is there for.
        return void api.probe(key.get(), event.payload);
      case 'rules-request':
        return void answerRules(event.payload);
      default:
        return event satisfies never;
    }
  };

  const openNow = () => {
    probed = isProbing ? clock.after(probeMs, () => report({ type: 'held-back' })) : () => {};
    const close = open(key.get(), {
      opened: () => {
        send({ type: 'opened' });
        report({ type: 'connected', warnings });
        warnings = [];
      },
      event: onEvent,
      failed: (failure) => send({ type: 'failed', failure }),
    });
    letGo = () => {
      probed();
      close();
    };
  };

  const wait = (ceilingMs: number, sentence: string) => {
    const inMs = fullJitter(ceilingMs, random);
    letGo = clock.after(inMs, () => send({ type: 'waited' }));
    report({ type: 'reconnecting', inMs, sentence });
  };

  const leave = () => {
    const abort = new AbortController();
    const takeBack = clock.after(leaveMs, () => abort.abort());
    leaving = api.disconnect(key.get(), abort.signal).finally(takeBack);
  };

  const perform = (effect: ConnectionEffect): void => {
    switch (effect.type) {
      case 'initialise':
        void initialise();
        return;
      case 'open':
        return openNow();
      case 'let-go':
        letGo();
        letGo = () => {};
        return;
      case 'wait':
        return wait(effect.ceilingMs, effect.sentence);
      case 'ask-for-token':
        return report({ type: 'unpaired', sentence: effect.sentence });
      case 'leave':
        return leave();
      case 'end':
        toolsUpdate.lost();
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

  return {
    giveKey: (given) => {
      key.set(given);
      send({ type: 'key-given', keyKind: keyKind(given) });
    },
    toolsChanged: toolsUpdate.changed,
    stop: async () => {
      send({ type: 'stop' });
      await leaving;
    },
    pause: () => send({ type: 'pause' }),
  };
};
