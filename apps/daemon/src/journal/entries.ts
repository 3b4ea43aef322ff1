import { createBoundedMap } from '@drawbridge/kit';
import type { JournalRecord } from './record.ts';

/** The last record of a call; after `done` the server does not have the result yet. */
type OpenEntry = Extract<JournalRecord, { kind: 'received' | 'started' | 'done' }>;

/** `settled`: the server has the result. `body` is null where it was evicted. */
export type JournalEntry = OpenEntry | { kind: 'settled'; body: string | null };

/** Nothing more arrives for calls that were denied elsewhere: the oldest are evicted. */
const maxReceived = 1_000;

/** Settled calls are remembered, so that a repeat never starts: this many, and this many characters. */
const maxSettled = 10_000;
const maxSettledLength = 4 * 1024 * 1024;

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
    if (entry?.kind !== 'done') return;
    waiting = { count: waiting.count + sign, length: waiting.length + sign * entry.body.length };
  };

  const remove = (id: string): JournalEntry | undefined => {
    const entry = open.get(id);
    count(entry, -1);
    received.delete(id);
    open.delete(id);
    return entry;
  };

  const put = (entry: OpenEntry) => {
    if (settled.has(entry.id)) return;
    remove(entry.id);
    count(entry, 1);
    open.set(entry.id, entry);
  };

  const settle = (id: string) => {
    if (settled.has(id)) return;
    const entry = remove(id);
    settled.set(id, true);
    if (entry?.kind === 'done') bodies.set(id, entry.body);
  };

  return {
    apply: (record: JournalRecord) => {
      switch (record.kind) {
        case 'received':
          if (settled.has(record.id) || open.has(record.id)) return;
          put(record);
          return received.set(record.id, true);
        case 'started':
          return open.get(record.id)?.kind === 'done' ? undefined : put(record);
        case 'done':
          return put(record);
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
    open: () => [...open.values()],
    /** When a page was found broken, milliseconds since 1970; null when none was. */
    doubtedAt: () => doubtedAt,
    /** Results that the server does not have: how many, and their characters. */
    waiting: () => waiting,
    records: (): JournalRecord[] => [
      ...(doubtedAt === null ? [] : [{ kind: 'doubt' as const, at: doubtedAt }]),
      ...[...settled].flatMap(([id]): JournalRecord[] => {
        const body = bodies.get(id);
        return [...(body === undefined ? [] : [{ kind: 'done' as const, id, body }]), { kind: 'taken', id }];
      }),
      ...open.values(),
    ],
  };
};

export type Entries = ReturnType<typeof createEntries>;
