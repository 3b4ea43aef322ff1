import { daemonFeatures, protocolRevision } from '@drawbridge/contracts/daemon-info';
import type { Release } from '@drawbridge/contracts/release';
import type { Clock } from '@drawbridge/kit';
import { createCollector, runtimeHeap } from '@drawbridge/kit/node';
import type { Journal } from '../../journal/index.ts';
import {
  createCalls,
  createHttp,
  createLink,
  createOutbox,
  createServerApi,
  largeLength,
  openStream,
  type Ending,
  type SessionKey,
  type SessionFile,
} from '../../link/index.ts';
import { hostIdentifier } from '../common/identity.ts';
import type { ToolHost } from '../tool-host.ts';
import type { SessionEvents } from './session-events.ts';

/** For what runs to end and be reported, before the process does. */
const stopMs = 5_000;
/** A heap as small as this one is collected in a few milliseconds. */
const collectedAtBytes = 512 * 1024;

export interface SessionNeeds {
  clock: Clock;
  random: () => number;
  /** Receives every event of the session. */
  events: SessionEvents;
  url: URL;
  journal: Journal;
  sessionFile: SessionFile;
  toolHost: ToolHost;
  /** What is sent to the server about this machine beside its tools. */
  machine: { rootPath: string; release: Release; instance: string; reconnect: string };
}

export interface Session {
  /** Connects, and resolves when the session has ended for good. */
  run(key: string, askForToken: () => Promise<string | null>): Promise<Ending>;
  /** Stops new work, ends what runs within 5 s, reports it, goes offline. The pairing is kept for the next process. */
  stop(): Promise<void>;
}

/** Puts the link together for one server and one folder. */
export const createSession = (needs: SessionNeeds): Session => {
  const { clock, random, events, url, journal, sessionFile, toolHost, machine } = needs;
  const http = createHttp(url);
  const api = createServerApi(http);
  const host = hostIdentifier();

  let current = '';
  const key: SessionKey = {
    get: () => current,
    set: (given) => {
      if (given === current) return;
      current = given;
      events.key(given);
      if (given.startsWith('gw_')) return;
      sessionFile.write({ url: url.href, key: given, hostIdentifier: host }).catch(events.keyNotKept);
    },
  };

  const collector = createCollector(runtimeHeap(), collectedAtBytes);
  const outbox = createOutbox({
    clock,
    random,
    post: ({ requestId, body }) => api.respond(key.get(), requestId, body),
    postAll: (letters) => api.respondAll(key.get(), letters),
    takesSeveral: api.takesSeveral,
    settled: ({ requestId, body }, refusal) => {
      journal.taken(requestId);
      if (body.length >= largeLength) collector.dropped(body.length);
      if (refusal !== null) events.notTaken(requestId, refusal);
    },
  });
  const calls = createCalls({
    clock,
    dispatch: toolHost.dispatch,
    outbox,
    journal,
    changes: toolHost.changes,
    postProgress: (requestId, body) => api.progress(key.get(), requestId, body),
    withdrawn: toolHost.withdrawn,
    began: events.began,
    report: (call) => {
      events.ended(call);
      tellModes();
    },
  });

  const describe = () => ({
    rootPath: machine.rootPath,
    tools: toolHost.tools(),
    hostIdentifier: host,
    toolCategories: toolHost.toolCategories(),
    modes: toolHost.modes(),
    daemon: {
      ...machine.release,
      protocol: protocolRevision,
      features: [...daemonFeatures],
      instance: machine.instance,
      reconnect: machine.reconnect,
    },
  });

  // A change of the settings is seen at a call, and may leave the tools as they are.
  let told = JSON.stringify(toolHost.modes());
  const tellModes = () => {
    const now = JSON.stringify(toolHost.modes());
    if (now === told) return;
    told = now;
    link.toolsChanged();
  };

  let ended: (ending: Ending) => void = () => {};
  let askAgain: () => Promise<void> = async () => {};

  const link = createLink({
    clock,
    random,
    api,
    open: (streamKey, events) => openStream({ http, clock, headers: api.headers }, streamKey, events),
    key,
    describe,
    calls,
    rules: toolHost.rules,
    report: (report) => {
      events.link(report);
      if (report.type === 'connected') {
        outbox.hurry();
        // Not before: a start waits for none of it.
        void toolHost.load();
      }
      if (report.type === 'unpaired') void askAgain();
      if (report.type === 'ended') ended(report.ending);
    },
  });

  const atMost = (ms: number, work: Promise<unknown>): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      void work.finally(() => {
        cancel();
        resolve();
      });
    });

  const finish = async (ending: Ending) => {
    await atMost(stopMs, calls.stop());
    outbox.close();
    toolHost.endSession();
    await link.stop();
    if (ending.reason === 'user') await sessionFile.forget();
    http.close();
  };

  return {
    run: async (firstKey, askForToken) => {
      const stopListening = toolHost.onChanged(link.toolsChanged);
      const stopSettling = toolHost.settleQuestions(async (body) => {
        if (!api.settles()) return 0;
        const reply = await api.settled(key.get(), body);
        return reply.ok ? reply.value.settled : null;
      });
      for (const letter of journal.found.waiting) outbox.add(letter);
      const ending = await new Promise<Ending>((resolve) => {
        ended = resolve;
        askAgain = async () => {
          const token = await askForToken();
          if (token !== null) return link.giveKey(token);
          resolve({ reason: 'failed', failure: { kind: 'refused', sentence: 'it needs a new token' } });
        };
        link.giveKey(firstKey);
      });
      stopListening();
      stopSettling();
      await finish(ending);
      return ending;
    },
    stop: async () => {
      await atMost(stopMs, calls.stop().then(outbox.empty));
      await link.stop();
    },
  };
};
