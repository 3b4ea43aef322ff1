import type { Clock } from '@drawbridge/kit';
import { createEntries, type Entries } from './entries.ts';
import { errors } from './errors.ts';
import { diedDuring, missingFromJournal } from './lost.ts';
import { createJournalWriter } from './journal-writer.ts';
import { loadPage, setAside } from './page.ts';
import { readPage } from './read-page.ts';
import type { JournalRecord } from './record.ts';

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

/** A result that the server does not have yet. `body` is the JSON text of a `ResponseBody`. */
export interface Waiting {
  requestId: string;
  body: string;
}

export interface Recovered {
  waiting: Waiting[];
  /** Calls that may have run, without a result. They are in `waiting` too. */
  lost: string[];
  /** Files that those calls may have left half-written. */
  paths: string[];
  /** The broken page's path now; null when the journal is whole. */
  broken: string | null;
}

/** Decides about the calls that the last process left open. `isWhole`: no record is missing. */
const recoverOpen = (entries: Entries, isWhole: boolean): Omit<Recovered, 'broken'> => {
  const lost: string[] = [];
  const paths: string[] = [];
  for (const entry of entries.open()) {
    const requestId = entry.id;
    if (entry.kind === 'started') paths.push(...entry.paths);
    // What was only received did not start, if nothing is missing after it.
    if (entry.kind === 'received' && isWhole) entries.apply({ kind: 'dropped', id: requestId });
    else if (entry.kind !== 'done') {
      lost.push(requestId);
      const body = entry.kind === 'started' ? diedDuring : missingFromJournal;
      entries.apply({ kind: 'done', id: requestId, body });
    }
  }
  const waiting = entries
    .open()
    .flatMap((entry) => (entry.kind === 'done' ? [{ requestId: entry.id, body: entry.body }] : []));
  return { waiting, lost, paths };
};

/** Reads what the last process left and continues from there. Throws when it cannot be read at all. */
export const openJournal = async (needs: JournalNeeds) => {
  const { folder, clock, limits = journalLimits } = needs;
  const bytes = await loadPage(folder);
  const { records, broken } = bytes === null ? { records: [], broken: false } : readPage(bytes);
  const entries = createEntries();
  for (const record of records) entries.apply(record);

  let aside: string | null = null;
  const writer = createJournalWriter({
    folder,
    records: entries.records,
    pageBytes: limits.pageBytes,
    beforeRewrite: async () => {
      if (broken) aside ??= await setAside(folder, clock.now());
    },
  });
  const append = (record: JournalRecord, until: 'written' | 'synced'): Promise<boolean> => {
    entries.apply(record);
    return writer.append(record, until);
  };

  const recovered: Recovered = { ...recoverOpen(entries, !broken), broken: null };
  if (broken) {
    await append({ kind: 'doubt', at: clock.now() }, 'synced');
    recovered.broken = aside ?? folder;
  }

  return {
    recovered,
    get: entries.get,
    /** Whether a call that is not known may have run all the same, because a page was broken. */
    isDoubtful: () => (entries.doubtedAt() ?? -Infinity) > clock.now() - doubtMs,
    received: (id: string, tool: string) => void append({ kind: 'received', id, tool }, 'written'),
    /** On disk when it resolves. Throws `journalFull` or `journalFailed`: then the call must not start. */
    started: async (id: string, { tool, paths }: { tool: string; paths: string[] }) => {
      const { count, length } = entries.waiting();
      if (count >= limits.waitingCount || length >= limits.waitingLength) throw errors.journalFull();
      if (await append({ kind: 'started', id, tool, paths }, 'synced')) return;
      // It is not known what of this is on disk; the page is written anew without it.
      entries.apply({ kind: 'dropped', id });
      throw errors.journalFailed();
    },
    /** On disk when it resolves to true; when the disk refuses, in memory until it can be written. */
    done: (id: string, body: string) => append({ kind: 'done', id, body }, 'synced'),
    /** The server has the result, or will never take it. Nothing for a call that is not in the journal. */
    taken: (id: string) => {
      if (entries.get(id)?.kind === 'done') void append({ kind: 'taken', id }, 'written');
    },
    /** The call ended without a start. Nothing for a call that is not in the journal. */
    dropped: (id: string) => {
      if (entries.get(id)?.kind === 'received') void append({ kind: 'dropped', id }, 'written');
    },
    close: writer.close,
  };
};

/** Written before and after each call that changes something: no request starts twice, no result is lost. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;
