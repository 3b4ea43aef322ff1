import { daemonFeatures, protocolRevision } from '@drawbridge/contracts/daemon-info';
import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import type { RuntimeList, RuntimesQuery } from '@drawbridge/contracts/machines/runtimes';
import type { Release } from '@drawbridge/contracts/release';
import { type Clock } from '@drawbridge/kit';
import { createCollector, runtimeHeap, type Heap } from '@drawbridge/kit/node';
import type { Journal } from '../../journal/index.ts';
import {
  createCalls,
  createHttp,
  createLink,
  createOpenLink,
  createOutbox,
  createServerApi,
  largeLength,
  type Ending,
  type KnownEpoch,
  type LinkReport,
  type ServerApi,
  type SessionKey,
  type SessionFile,
  type Way,
} from '../../link/index.ts';
import { keepCompiled } from '../../program/compile-cache.ts';
import { hostIdentifier } from '../common/identity.ts';
import type { ToolHost } from '../tool-host.ts';
import type { SessionEvents } from './session-events.ts';

/** For what runs to end and be reported, before the process does. */
const stopMs = 5_000;
/** After the first calls, which often come at once: the collection takes up to a tenth of a second. */
const shrinkMs = 3_000;
/** A heap as small as this one is collected in a few milliseconds. */
const collectedAtBytes = 512 * 1024;

export interface SessionNeeds {
  clock: Clock;
  random: () => number;
  events: SessionEvents;
  url: URL;
  way: Way;
  journal: Journal;
  epoch: KnownEpoch;
  sessionFile: SessionFile;
  toolHost: ToolHost;
  runtimes(query: RuntimesQuery): Promise<RuntimeList>;
  /** What is sent to the server about this machine beside its tools. */
  machine: {
    rootPath: string;
    release: Release;
    instance: string;
    reconnect: string;
    /** What its person calls it; counts where it is paired. Null to let the server choose. */
    name: string | null;
  };
  askForToken(): Promise<string | null>;
}

const createKey = ({ events, sessionFile, url, machine }: SessionNeeds): SessionKey => {
  let current = '';
  return {
    get: () => current,
    set: (key) => {
      if (key === current) return;
      current = key;
      events.key(key);
      if (key.startsWith('gw_')) return;
      sessionFile
        .write({ url: url.href, key, hostIdentifier: hostIdentifier(), folder: machine.rootPath })
        .catch(events.keyNotKept);
    },
  };
};

const openOutbox = (
  { clock, random, events, journal }: SessionNeeds,
  { api, key, heap }: { api: ServerApi; key: SessionKey; heap: Heap },
) => {
  const collector = createCollector(heap, collectedAtBytes);
  return createOutbox({
    clock,
    random,
    post: ({ requestId, body }) => api.respond(key.get(), requestId, body),
    postAll: (results) => api.respondAll(key.get(), results),
    takesSeveral: api.takesSeveral,
    settled: ({ requestId, body }, refusal) => {
      journal.taken(requestId);
      if (body.length >= largeLength) collector.dropped(body.length);
      if (refusal !== null) events.notTaken(requestId, refusal);
    },
  });
};

const describe = ({ machine, toolHost }: SessionNeeds): InitBody => ({
  rootPath: machine.rootPath,
  tools: toolHost.tools(),
  hostIdentifier: hostIdentifier(),
  toolCategories: toolHost.toolCategories(),
  modes: toolHost.modes(),
  daemon: {
    ...machine.release,
    protocol: protocolRevision,
    features: [...daemonFeatures],
    instance: machine.instance,
    reconnect: machine.reconnect,
  },
  ...(machine.name !== null && { name: machine.name }),
});

const waitAtMost = (clock: Clock, ms: number, work: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void work.finally(() => {
      cancel();
      resolve();
    });
  });

export const createSession = (needs: SessionNeeds) => {
  const { clock, random, events, url, way, journal, sessionFile, toolHost, machine, askForToken } = needs;
  const http = createHttp(url);
  const api = createServerApi(http, clock, needs.epoch);
  const key = createKey(needs);
  const heap = runtimeHeap();
  const outbox = openOutbox(needs, { api, key, heap });
  const ended = Promise.withResolvers<Ending>();

  const calls = createCalls({
    clock,
    dispatch: toolHost.dispatch,
    instance: machine.instance,
    outbox,
    journal,
    changes: toolHost.changes,
    postProgress: (requestId, body) => api.progress(key.get(), requestId, body),
    withdrawn: toolHost.withdrawn,
    began: events.began,
    report: events.ended,
  });

  const renewToken = async () => {
    const token = await askForToken();
    if (token !== null) return link.giveKey(token);
    ended.resolve({ reason: 'failed', failure: { kind: 'refused', sentence: 'it needs a new token' } });
  };

  const report = (change: LinkReport) => {
    events.link(change);
    if (change.type === 'connected') {
      outbox.flush();
      // Not before: a start waits for none of it.
      void toolHost.load().then(() => keepCompiled(clock.now()));
    }
    if (change.type === 'unpaired') void renewToken();
    if (change.type === 'ended') ended.resolve(change.ending);
  };

  const link = createLink({
    clock,
    random,
    api,
    open: createOpenLink({ ...api, url, way, http, clock }),
    key,
    describe: () => describe(needs),
    calls,
    rules: toolHost.rules,
    processes: toolHost.processes,
    runtimes: needs.runtimes,
    report,
  });

  return {
    run: async (firstKey: string) => {
      // Reading the program leaves garbage that V8 alone keeps for a minute.
      const cancelShrink = clock.after(shrinkMs, heap.shrink);
      const stopListening = toolHost.onChanged(link.toolsChanged);
      const stopSettling = toolHost.settleQuestions(async (body) => {
        if (!api.settles()) return 0;
        const reply = await api.settled(key.get(), body);
        return reply.ok ? reply.value.settled : null;
      });
      for (const result of journal.recovered.waiting) void outbox.add(result);
      link.giveKey(firstKey);
      const ending = await ended.promise;
      stopListening();
      stopSettling();
      cancelShrink();
      await waitAtMost(clock, stopMs, calls.stop());
      outbox.close();
      toolHost.endSession();
      const { endedPairing } = await link.stop();
      if (endedPairing || ending.reason === 'user') await sessionFile.forget();
      http.close();
      return endedPairing ? { reason: 'left' as const } : ending;
    },
    /** Stops new work, ends running calls within 5 s, reports them, goes offline. */
    stop: async () => {
      await waitAtMost(clock, stopMs, calls.stop().then(outbox.empty));
      await link.stop();
    },
  };
};

export type Session = ReturnType<typeof createSession>;
