import { daemonFeatures, protocolRevision } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { createCollector, runtimeHeap } from '@drawbridge/kit/node';
import type { Journal } from '../journal/index.ts';
import {
  createCalls,
  createHttp,
  createLink,
  createOutbox,
  createServerApi,
  largeLength,
  openStream,
  type Ending,
  type KeyHolder,
  type SessionFile,
} from '../link/index.ts';
import { hostIdentifier } from './identity.ts';
import type { Offer } from './offer.ts';
import type { SessionEvents } from './session-events.ts';

/** For what runs to end and be reported, before the process does. */
const stopMs = 5_000;
/** A heap as small as this one is collected in a few milliseconds. */
const collectedAtBytes = 512 * 1024;

export interface SessionNeeds {
  clock: Clock;
  random: () => number;
  /** Hears of everything that happens. */
  events: SessionEvents;
  url: URL;
  journal: Journal;
  sessionFile: SessionFile;
  offer: Offer;
  /** What the server is told of this machine beside its tools. */
  machine: { rootPath: string; version: string; instance: string };
}

export interface Session {
  /** Connects, and resolves when the session has ended for good. */
  run(key: string, askForToken: () => Promise<string | null>): Promise<Ending>;
  /** Explicit disconnect: stops new work, ends what runs within 5 s, reports it, tells the server. */
  stop(): Promise<void>;
  /** The same without telling the server: the session is kept for the next process. */
  pause(): Promise<void>;
}

/** Puts the link together for one server and one folder. */
export const createSession = (needs: SessionNeeds): Session => {
  const { clock, random, events, url, journal, sessionFile, offer, machine } = needs;
  const http = createHttp(url);
  const api = createServerApi(http);
  const host = hostIdentifier();

  let current = '';
  const key: KeyHolder = {
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
    dispatch: offer.dispatch,
    outbox,
    journal,
    changes: offer.changes,
    postProgress: (requestId, body) => api.progress(key.get(), requestId, body),
    began: events.began,
    report: events.ended,
  });

  const describe = () => ({
    rootPath: machine.rootPath,
    tools: offer.tools(),
    hostIdentifier: host,
    toolCategories: offer.toolCategories(),
    daemon: {
      version: machine.version,
      protocol: protocolRevision,
      features: [...daemonFeatures],
      instance: machine.instance,
    },
  });

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
    rules: offer.rules,
    report: (report) => {
      events.link(report);
      if (report.type === 'connected') {
        outbox.hurry();
        // Not before: a start waits for none of it.
        void offer.load();
      }
      if (report.type === 'unpaired') void askAgain();
      if (report.type === 'ended') ended(report.ending);
    },
  });

  const atMost = (ms: number, work: Promise<unknown>): Promise<void> =>
    new Promise((resolve) => {
      const takeBack = clock.after(ms, resolve);
      void work.finally(() => {
        takeBack();
        resolve();
      });
    });

  const finish = async (ending: Ending) => {
    await atMost(stopMs, calls.stop());
    outbox.close();
    offer.endSession();
    await link.stop();
    if (ending.reason === 'stopped' || ending.reason === 'user') await sessionFile.forget();
    http.close();
  };

  return {
    run: async (firstKey, askForToken) => {
      const stopListening = offer.onChanged(link.toolsChanged);
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
      await finish(ending);
      return ending;
    },
    stop: async () => {
      await atMost(stopMs, calls.stop().then(outbox.empty));
      await link.stop();
    },
    pause: async () => {
      await atMost(stopMs, calls.stop().then(outbox.empty));
      link.pause();
    },
  };
};
