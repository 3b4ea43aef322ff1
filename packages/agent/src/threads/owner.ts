import { errors } from '../errors.ts';
import type { ThreadRow } from '../rows.ts';

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
  tasks: [],
  lastSeq: 0,
  eventBytes: 0,
  lane: { overrides: {}, droppedCount: 0, droppedTexts: [] },
  canvasRev: 0,
  createdAt: now,
  updatedAt: now,
});

/** The thread, for a client that made it or for the person. Throws `notFound` for another client. */
export const requireOwner = (thread: ThreadRow, owner: string | null): ThreadRow => {
  if (owner !== null && thread.owner !== owner) throw errors.notFound({ message: 'There is no such thread' });
  return thread;
};
