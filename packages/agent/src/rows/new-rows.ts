import type { Clock } from '@drawbridge/kit';
import { errors } from './errors.ts';
import type { AgentRow, FileRow, MessageRow, RunRow, ThreadRow } from './rows.ts';

/** What new rows are made with. */
interface Maker {
  clock: Clock;
  newId(prefix: string): string;
}

type OwnColumns = 'id' | 'v' | 'createdAt';

/** The author of a message that no sender has sent. */
const writers = { note: 'server', continue: 'server', model: 'model' } as const;
type Written =
  | { source: Exclude<MessageRow['source'], 'person'>; sender?: undefined }
  | { source: 'person'; sender: string };

/** A message of a history; `step` and `tokens` are 0 for a message that no model wrote. */
export const newMessage = (
  ctx: Maker,
  given: Omit<MessageRow, OwnColumns | 'step' | 'tokens' | 'source' | 'sender'> &
    Partial<Pick<MessageRow, OwnColumns | 'step' | 'tokens'>> &
    Written,
): MessageRow => ({
  id: ctx.newId('msg_'),
  step: 0,
  tokens: 0,
  v: 1,
  createdAt: ctx.clock.now(),
  ...given,
  sender: given.source === 'person' ? given.sender : writers[given.source],
});

/** An agent of a run that is ready to begin. */
export const newAgent = (
  ctx: Maker,
  { userId, id: runId, threadId }: Pick<RunRow, 'userId' | 'id' | 'threadId'>,
  given: Pick<AgentRow, 'kind' | 'role' | 'maxSteps' | 'tainted'> & Partial<AgentRow>,
): AgentRow => ({
  userId,
  id: ctx.newId('ag_'),
  threadId,
  runId,
  parentId: null,
  parentCallId: null,
  title: '',
  instructions: '',
  tools: null,
  loaded: [],
  steps: 0,
  state: 'ready',
  outcome: null,
  result: '',
  error: null,
  failure: null,
  planTaskId: null,
  continues: null,
  runtime: null,
  deletedAt: null,
  lastActiveAt: ctx.clock.now(),
  createdAt: ctx.clock.now(),
  endedAt: null,
  ...given,
});

/** How many bytes a base64 stands for. */
const bytesOf = (data: string) =>
  (data.length * 3) / 4 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);

/** A file of a thread; `data` is base64. */
export const newFile = (
  ctx: Maker,
  { userId, id: threadId }: Pick<ThreadRow, 'userId' | 'id'>,
  given: Pick<FileRow, 'name' | 'mediaType' | 'data'>,
): FileRow => ({
  ...given,
  userId,
  id: ctx.newId('file_'),
  threadId,
  bytes: bytesOf(given.data),
  createdAt: ctx.clock.now(),
});

/** A thread without a title or a message. `owner`: the client that makes it; null for the person. */
export const newThreadRow = (
  userId: string,
  id: string,
  { now, owner = null }: { now: number; owner?: string | null },
): ThreadRow => ({
  userId,
  id,
  title: '',
  titleBy: null,
  owner,
  machineId: null,
  runtime: null,
  runtimeSession: null,
  tasks: [],
  lastSeq: 0,
  eventBytes: 0,
  lane: { overrides: {}, droppedCount: 0, droppedTexts: [] },
  canvasRev: 0,
  driverId: null,
  fence: 0,
  wakes: 0,
  createdAt: now,
  updatedAt: now,
});

/** The thread, for a client that made it or for the person. Throws `notFound` for another client. */
export const requireOwner = (thread: ThreadRow, owner: string | null): ThreadRow => {
  if (owner !== null && thread.owner !== owner) throw errors.notFound({ message: 'There is no such thread' });
  return thread;
};
