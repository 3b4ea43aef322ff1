import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import type { Release } from '@drawbridge/contracts/release';
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
import type { StreamEvents } from './stream.ts';
import { createToolsUpdate } from './tools-update.ts';

/** What the link reports. */
export type LinkReport =
  /** `offered`: the daemon that the server gives, where it says so. */
  | { type: 'connected'; warnings: string[]; offered: Release | undefined }
  /** The server has another list of this machine's tools. */
  | { type: 'tools'; warnings: string[] }
  /** The server's first event did not arrive: something in between buffers the stream. */
  | { type: 'held-back' }
  | { type: 'reconnecting'; inMs: number; sentence: string }
  | { type: 'unpaired'; failure: Failure }
  | { type: 'ended'; ending: Ending };

export interface SessionKey {
  get(): string;
  /** A new key, from the user or from the server. */
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
  /** Answers a question about the rules of this machine. */
  rules(query: RulesQuery): Promise<RulesBody>;
  report(report: LinkReport): void;
}

export interface Link {
  /** Connects with a pairing token or a session key; once more after `unpaired`. */
  giveKey(key: string): void;
  /** `describe` gives another list of tools now: it is sent at once or with the next init. */
  toolsChanged(): void;
  /** Ends the connection and keeps the pairing; resolves when the server knows, or after 3 s. */
  stop(): Promise<void>;
}

const leaveMs = 3_000;
/** A server that sends a probe does so at once. */
const probeMs = 2_000;

const keyKind = (key: string) => (key.startsWith('gw_') ? 'pairing' : 'session');

/** Reports a stream that is held back when no probe comes, but only of a server that answers elsewhere. */
const watchForProbe = (needs: { clock: Clock; api: ServerApi; heldBack: () => void }): (() => void) => {
  const { clock, api, heldBack } = needs;
  const over = new AbortController();
  const ask = async () => {
    const cancel = clock.after(probeMs, () => over.abort());
    const isThere = await api.isThere(over.signal).finally(cancel);
    if (isThere && !over.signal.aborted) heldBack();
  };
  const cancel = clock.after(probeMs, () => void ask());
  return () => {
    cancel();
    over.abort();
  };
};

/** Runs the connection's state machine: performs its effects and reports their outcome to it. */
export const createLink = (needs: LinkNeeds): Link => {
  const { clock, random, api, open, key, describe, calls, report } = needs;
  let state: Connection = { kind: 'idle' };
  /** Ends the init, the stream or the wait that is under way. */
  let release: (() => void) | null = null;
  let warnings: string[] = [];
  let offered: Release | undefined;
  let isProbing = false;
  let stopProbeWatch: (() => void) | null = null;
  let leaving: Promise<unknown> = Promise.resolve();

  const toolsUpdate = createToolsUpdate({
    clock,
    describe: () => {
      const { tools, toolCategories, modes } = describe();
      return { tools, ...(toolCategories && { toolCategories }), ...(modes && { modes }) };
    },
    post: (body) => api.tools(key.get(), body),
    sent: (left) => report({ type: 'tools', warnings: left }),
    unknown: () => send({ type: 'unknown-here' }),
  });

  const initialise = async () => {
    toolsUpdate.lost();
    toolsUpdate.described();
    const abort = new AbortController();
    release = () => abort.abort();
    const reply = await api.init(key.get(), describe(), abort.signal);
    if (abort.signal.aborted) return;
    if (!reply.ok) return send({ type: 'failed', failure: reply.failure });
    key.set(reply.value.sessionKey ?? key.get());
    warnings = reply.value.warnings ?? [];
    offered = reply.value.daemon;
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
        stopProbeWatch?.();
        // A lost answer needs no retry: that it is missing is what the probe finds out.
        return void api.probe(key.get(), event.payload);
      case 'rules-request':
        return void answerRules(event.payload);
      default:
        return event satisfies never;
    }
  };

  const openNow = () => {
    const heldBack = () => report({ type: 'held-back' });
    stopProbeWatch = isProbing ? watchForProbe({ clock, api, heldBack }) : null;
    const close = open(key.get(), {
      opened: () => {
        send({ type: 'opened' });
        report({ type: 'connected', warnings, offered });
        warnings = [];
      },
      event: onEvent,
      failed: (failure) => send({ type: 'failed', failure }),
    });
    release = () => {
      stopProbeWatch?.();
      close();
    };
  };

  const wait = (ceilingMs: number, sentence: string) => {
    const inMs = fullJitter(ceilingMs, random);
    release = clock.after(inMs, () => send({ type: 'waited' }));
    report({ type: 'reconnecting', inMs, sentence });
  };

  const leave = () => {
    const abort = new AbortController();
    const cancel = clock.after(leaveMs, () => abort.abort());
    leaving = api.leave(key.get(), abort.signal).finally(cancel);
  };

  const perform = (effect: ConnectionEffect): void => {
    switch (effect.type) {
      case 'initialise':
        void initialise();
        return;
      case 'open':
        return openNow();
      case 'let-go':
        release?.();
        release = null;
        return;
      case 'wait':
        return wait(effect.ceilingMs, effect.sentence);
      case 'ask-for-token':
        return report({ type: 'unpaired', failure: effect.failure });
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
  };
};
