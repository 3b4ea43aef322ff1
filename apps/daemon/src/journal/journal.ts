import { nextMacrotask, type Clock } from '@drawbridge/kit';
import { createEntries, type JournalEntry } from './entries.ts';
import { errors } from './errors.ts';
import { diedDuring, missingFromJournal } from './lost.ts';
import { loadPage, setAside, writePage, type Page } from './page.ts';
import { readPage } from './read-page.ts';
import { encodeRecord, type JournalRecord } from './record.ts';

export interface JournalLimits {
  /** A page to which more was appended is written anew with what still counts. */
  pageBytes: number;
  /** Results that the server does not have: beyond either, nothing new starts. */
  waitingCount: number;
  waitingLength: number;
}

const journalLimits: JournalLimits = {
  pageBytes: 8 * 1024 * 1024,
  waitingCount: 1_000,
  waitingLength: 64 * 1024 * 1024,
};

/** For so long a call that comes again and is not known may stand in the broken page. */
const doubtMs = 24 * 60 * 60_000;

export interface JournalNeeds {
  /** The folder of this journal alone; it is there, and locked. */
  folder: string;
  clock: Clock;
  limits?: JournalLimits;
}

/** A result that the server does not have, as far as the journal knows. `body` is the JSON text of a `ResponseBody`. */
export interface Waiting {
  requestId: string;
  body: string;
}

/** What the last process left. */
export interface Found {
  waiting: Waiting[];
  /** Calls that may have run, without a result. They are in `waiting` too. */
  lost: string[];
  /** Files that those calls may have left half-written. */
  paths: string[];
  /** The broken page's path now; null when the journal is whole. */
  broken: string | null;
}

/**
 * Written before and after each call that changes something, so that no request starts twice and no result is forgotten. What is
 * appended in one turn of the event loop shares one sync of the disk.
 */
export interface Journal {
  found: Found;
  get(requestId: string): JournalEntry | undefined;
  /** Whether a call that is not known may have run all the same, because a page was broken. */
  isDoubtful(): boolean;
  received(requestId: string, tool: string): void;
  /** On disk when it resolves. Throws `journalFull` or `journalFailed`: then the call must not start. */
  started(requestId: string, what: { tool: string; paths: string[] }): Promise<void>;
  /** On disk when it resolves; false when the disk refused, and then it is kept in memory until it can be written. */
  done(requestId: string, body: string): Promise<boolean>;
  /** The server has the result, or will never take it. Nothing for a call that is not in the journal. */
  taken(requestId: string): void;
  /** The call ended without a start. Nothing for a call that is not in the journal. */
  dropped(requestId: string): void;
  close(): Promise<void>;
}

interface Append {
  record: JournalRecord;
  synced: boolean;
  settle(written: boolean): void;
}

const ignore = () => undefined;

/** Reads what the last process left and goes on from there. Throws when the journal is there and cannot be read at all. */
export const openJournal = async (needs: JournalNeeds): Promise<Journal> => {
  const { folder, clock, limits = journalLimits } = needs;
  const bytes = await loadPage(folder);
  const { records, broken } = bytes === null ? { records: [], broken: false } : readPage(bytes);
  const entries = createEntries();
  for (const record of records) entries.apply(record);

  let page: Page | null = null;
  /** Where the broken page is kept; undefined while that is to be done. */
  let aside: string | null | undefined = broken ? undefined : null;
  let closed = false;
  let queue: Append[] = [];
  let flushing: Promise<void> | null = null;

  const rewrite = async (): Promise<Page> => {
    if (aside === undefined) aside = await setAside(folder, clock.now());
    const old = page;
    page = null;
    await old?.close();
    return writePage(folder, entries.records());
  };

  const write = async (batch: Append[]): Promise<void> => {
    if (page === null || page.appended() > limits.pageBytes) {
      // The entries hold what is in the batch.
      page = await rewrite();
      return;
    }
    const lines = batch.map(({ record }) => encodeRecord(record)).join('');
    await page.append(lines, batch.some(({ synced }) => synced) ? 'synced' : 'written');
  };

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      await nextMacrotask();
      const batch = queue;
      queue = [];
      const written = await write(batch).then(
        () => true,
        async () => {
          const failed = page;
          page = null;
          await failed?.close().catch(ignore);
          return false;
        },
      );
      for (const { settle } of batch) settle(written);
    }
    flushing = null;
  };

  const append = (record: JournalRecord, synced: boolean): Promise<boolean> => {
    entries.apply(record);
    if (closed) return Promise.resolve(false);
    return new Promise((settle) => {
      queue.push({ record, synced, settle });
      flushing ??= flush();
    });
  };

  const found: Found = { waiting: [], lost: [], paths: [], broken: null };
  for (const [requestId, entry] of entries.open()) {
    if (entry.kind === 'started') found.paths.push(...entry.paths);
    // What was only received did not start, if nothing is missing after it.
    if (entry.kind === 'received' && !broken) entries.apply({ kind: 'dropped', id: requestId });
    else if (entry.kind !== 'waiting') {
      found.lost.push(requestId);
      const body = entry.kind === 'started' ? diedDuring : missingFromJournal;
      entries.apply({ kind: 'done', id: requestId, body });
    }
  }
  for (const [requestId, entry] of entries.open()) {
    if (entry.kind === 'waiting') found.waiting.push({ requestId, body: entry.body });
  }
  if (broken) {
    await append({ kind: 'doubt', at: clock.now() }, true);
    found.broken = aside ?? folder;
  }

  return {
    found,
    get: entries.get,
    isDoubtful: () => (entries.doubtedAt() ?? -Infinity) > clock.now() - doubtMs,
    received: (id, tool) => void append({ kind: 'received', id, tool }, false),
    started: async (id, { tool, paths }) => {
      const { count, length } = entries.waiting();
      if (count >= limits.waitingCount || length >= limits.waitingLength) throw errors.journalFull();
      if (await append({ kind: 'started', id, tool, paths }, true)) return;
      // It is not known what of this is on disk; the page is written anew without it.
      entries.apply({ kind: 'dropped', id });
      throw errors.journalFailed();
    },
    done: (id, body) => append({ kind: 'done', id, body }, true),
    taken: (id) => {
      if (entries.get(id)?.kind === 'waiting') void append({ kind: 'taken', id }, false);
    },
    dropped: (id) => {
      if (entries.get(id)?.kind === 'received') void append({ kind: 'dropped', id }, false);
    },
    close: async () => {
      closed = true;
      await flushing;
      await page?.close();
      page = null;
    },
  };
};
