import { createBoundedMap } from '@drawbridge/kit';
import type { JournalRecord } from './record.ts';

export type JournalEntry =
  | { kind: 'received'; tool: string }
  | { kind: 'started'; tool: string; paths: string[] }
  /** The server does not have the result yet. */
  | { kind: 'waiting'; body: string }
  /** The server has it. `body` is null where it was evicted. */
  | { kind: 'settled'; body: string | null };

type OpenEntry = Exclude<JournalEntry, { kind: 'settled' }>;

/** Nothing more arrives for calls that were denied elsewhere: the oldest are evicted. */
const maxReceived = 1_000;

/** Settled calls are remembered, so that a repeat never starts: this many, and this many characters. */
const maxSettled = 10_000;
const maxSettledLength = 4 * 1024 * 1024;

const recordsOf = (id: string, entry: JournalEntry): JournalRecord[] => {
  switch (entry.kind) {
    case 'received':
      return [{ kind: 'received', id, tool: entry.tool }];
    case 'started':
      return [{ kind: 'started', id, tool: entry.tool, paths: entry.paths }];
    case 'waiting':
      return [{ kind: 'done', id, body: entry.body }];
    case 'settled':
      return [
        ...(entry.body === null ? [] : [{ kind: 'done' as const, id, body: entry.body }]),
        { kind: 'taken', id },
      ];
    default:
      return entry satisfies never;
  }
};

/** The calls of a journal, one record after the other. In memory. */
export const createEntries = () => {
  const open = new Map<string, OpenEntry>();
  const received = createBoundedMap<string, true>({ maxEntries: maxReceived, onEvict: (id) => remove(id) });
  const bodies = createBoundedMap<string, string>({
    maxEntries: maxSettled,
    maxWeight: maxSettledLength,
    weigh: (body) => body.length,
  });
  const settled = createBoundedMap<string, true>({
    maxEntries: maxSettled,
    onEvict: (id) => bodies.delete(id),
  });
  let waiting = { count: 0, length: 0 };
  let doubtedAt: number | null = null;

  const count = (entry: JournalEntry | undefined, sign: 1 | -1) => {
    if (entry?.kind !== 'waiting') return;
    waiting = { count: waiting.count + sign, length: waiting.length + sign * entry.body.length };
  };

  const remove = (id: string): JournalEntry | undefined => {
    const entry = open.get(id);
    count(entry, -1);
    received.delete(id);
    open.delete(id);
    return entry;
  };

  const put = (id: string, entry: OpenEntry) => {
    remove(id);
    count(entry, 1);
    open.set(id, entry);
  };

  const receive = (id: string, tool: string) => {
    if (settled.has(id) || open.has(id)) return;
    put(id, { kind: 'received', tool });
    received.set(id, true);
  };

  const settle = (id: string) => {
    if (settled.has(id)) return;
    const entry = remove(id);
    settled.set(id, true);
    if (entry?.kind === 'waiting') bodies.set(id, entry.body);
  };

  return {
    apply: (record: JournalRecord) => {
      switch (record.kind) {
        case 'received':
          return receive(record.id, record.tool);
        case 'started':
          if (!settled.has(record.id) && open.get(record.id)?.kind !== 'waiting')
            put(record.id, { kind: 'started', tool: record.tool, paths: record.paths });
          return;
        case 'done':
          if (!settled.has(record.id)) put(record.id, { kind: 'waiting', body: record.body });
          return;
        case 'taken':
          return settle(record.id);
        case 'dropped':
          return void remove(record.id);
        case 'doubt':
          doubtedAt = record.at;
          return;
        default:
          record satisfies never;
      }
    },
    get: (id: string): JournalEntry | undefined => {
      if (!settled.has(id)) return open.get(id);
      return { kind: 'settled', body: bodies.get(id) ?? null };
    },
    open: () => [...open],
    /** When a page was found broken, milliseconds since 1970; null when none was. */
    doubtedAt: () => doubtedAt,
    /** Results that the server does not have: how many, and their characters. */
    waiting: () => waiting,
    records: () => [
      ...(doubtedAt === null ? [] : [{ kind: 'doubt' as const, at: doubtedAt }]),
      ...[...settled].flatMap(([id]) => recordsOf(id, { kind: 'settled', body: bodies.get(id) ?? null })),
      ...[...open].flatMap(([id, entry]) => recordsOf(id, entry)),
    ],
  };
};

export type Entries = ReturnType<typeof createEntries>;
