import {
  mainHistory,
  type MemoryRow,
  type MessageRow,
  type NoteRow,
  type ToolCallRow,
} from '../rows/rows.ts';
import type { AgentStore } from '../rows/store.ts';
import { memoryOf } from './working-memory.ts';

export interface HistoryId {
  threadId: string;
  /** `main`, or the id of a sub-agent. */
  history: string;
  /** Whether the memory of the person belongs to it. */
  usesMemory?: boolean | undefined;
}

/** What the model may be sent of one history. */
export interface History {
  /** Messages up to this number are in the notes or the summary; -1 for none. */
  from: number;
  /** The messages after `from`, in their order. */
  messages: MessageRow[];
  /** The newest message of the person where it is not among `messages`. */
  lastOfPerson: MessageRow | null;
  /** The calls of `messages`, by id. */
  calls: ReadonlyMap<string, ToolCallRow>;
  /** Those that are not replaced, in the order of the messages that they replace. */
  notes: NoteRow[];
  nextNoteSeq: number;
  /** What is known of the person; null for a sub-agent, or where the person switched it off. */
  memory: MemoryRow | null;
}

const callIdsOf = (messages: readonly MessageRow[]): string[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
  );

const none: History['calls'] = new Map();

/** A call that has ended does not change. */
const readCalls = async (
  userId: string,
  { messages, known = none }: { messages: readonly MessageRow[]; known: History['calls'] | undefined },
  store: AgentStore,
) => {
  const all = callIdsOf(messages);
  const id = all.filter((one) => known.get(one)?.state !== 'ended');
  const rows = id.length === 0 ? [] : await store.find('agentToolCalls', { userId, id });
  return new Map([...all.flatMap((one) => known.get(one) ?? []), ...rows].map((row) => [row.id, row]));
};

const readLastOfPerson = async (userId: string, { threadId, history }: HistoryId, store: AgentStore) => {
  const rows = await store.find(
    'agentMessages',
    { userId, threadId, history, source: 'person' },
    { orderBy: 'seq', descending: true, limit: 1 },
  );
  return rows[0] ?? null;
};

const readMemory = async (userId: string, { history, usesMemory = false }: HistoryId, store: AgentStore) => {
  if (history !== mainHistory || !usesMemory) return null;
  const row = await memoryOf(store, userId);
  return row.enabled ? row : null;
};

/** The number of the next message of a history; two writers of it cannot both succeed. */
export const nextSeqOf = ({ messages, from }: History): number =>
  (messages.at(-1)?.seq ?? Math.max(0, from)) + 1;

/** Reads the present history of an agent; beyond `known`, what its runner has read before. */
export const readHistory = async (
  userId: string,
  { known, ...id }: HistoryId & { known?: History | undefined },
  store: AgentStore,
): Promise<History> => {
  const { threadId, history } = id;
  const all = await store.find('agentNotes', { userId, threadId, history });
  const notes = all
    .filter(({ replacedAt }) => replacedAt === null)
    .toSorted((a, b) => a.upToSeq - b.upToSeq || a.seq - b.seq);
  const from = Math.max(-1, ...notes.map(({ upToSeq }) => upToSeq));
  // Messages are never changed, and a number is used once.
  const before = known?.messages.filter(({ seq }) => seq > from) ?? [];
  const newer = await store.find(
    'agentMessages',
    { userId, threadId, history },
    { orderBy: 'seq', after: before.at(-1)?.seq ?? from },
  );
  const messages = [...before, ...newer];
  const hasPerson = messages.some(({ source }) => source === 'person');
  return {
    from,
    messages,
    lastOfPerson: hasPerson ? null : await readLastOfPerson(userId, id, store),
    calls: await readCalls(userId, { messages, known: known?.calls }, store),
    notes,
    nextNoteSeq: Math.max(0, ...all.map(({ seq }) => seq)) + 1,
    memory: await readMemory(userId, id, store),
  };
};
