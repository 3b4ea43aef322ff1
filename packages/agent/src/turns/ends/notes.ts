import type { AgentNeeds } from '../../ports/needs.ts';
import { nextSeq, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import { mainHistory, type RunRow } from '../../rows/rows.ts';
import { insert, type Write } from '../../rows/store.ts';

type NoteNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId'>;

const insertNote = async (
  ctx: NoteNeeds,
  { thread, run }: Pick<Work, 'thread' | 'run'>,
  { source, text, seq }: { source: 'note' | 'continue'; text: string; seq?: number },
): Promise<Write> => {
  const { userId, id: threadId } = thread;
  const row = newMessage(ctx, {
    userId,
    threadId,
    history: mainHistory,
    seq: seq ?? (await nextSeq(ctx, { userId, threadId, history: mainHistory })),
    runId: run.id,
    agentId: null,
    role: 'user',
    source,
    parts: [{ type: 'text', text }],
  });
  return insert('agentMessages', row);
};

/** A message of the server to the main agent; it reads it in its next step. */
export const noteFor = (
  ctx: NoteNeeds,
  work: Pick<Work, 'thread' | 'run'>,
  note: { text: string; seq?: number },
): Promise<Write> => insertNote(ctx, work, { source: 'note', ...note });

const ends: Record<RunRow['state'], string> = {
  active: 'is still open',
  suspended: 'is still open',
  completed: 'is complete',
  cancelled: 'was stopped by the person',
  error: 'ended with an error',
  interrupted: 'was interrupted',
};

/** The person asked for a run that continues another one. */
export const noteOfContinue = (
  ctx: NoteNeeds,
  work: Pick<Work, 'thread' | 'run'>,
  { state }: Pick<RunRow, 'state'>,
): Promise<Write> => {
  const advice = 'Do what is left of it. Check what a call without a result has done before you repeat it.';
  const text = `[The person asked you to continue. The run before this one ${ends[state]}. ${advice}]`;
  return insertNote(ctx, work, { source: 'continue', text });
};
