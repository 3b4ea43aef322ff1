import { hasCode } from '@drawbridge/kit';
import type { RunContext } from '../engine/context.ts';
import { mainHistory, type NoteRow } from '../rows.ts';

const prefix = 'session/checkpoints/';
/** Checkpoints of a thread that are kept. */
const kept = 5;

/** The name of the document that keeps a summary. */
export const checkpointName = ({ seq }: Pick<NoteRow, 'seq'>): string => `${prefix}${seq}`;

/** Keeps the summary that has replaced older messages as a document of the thread, for people and clients. */
export const keepCheckpoint = async (
  { store, canvas, onError }: Pick<RunContext, 'store' | 'canvas' | 'onError'>,
  { userId, threadId, history, seq, text: markdown }: NoteRow,
): Promise<void> => {
  if (history !== mainHistory) return;
  const title = 'Summary of older messages';
  try {
    await canvas.put(userId, threadId, {
      artifactId: checkpointName({ seq }),
      ...{ type: 'note', title, content: { markdown } },
    });
    const newest = { orderBy: 'createdAt', descending: true } as const;
    const all = await store.find('agentArtifacts', { userId, threadId }, newest);
    const own = all.filter(({ artifactId }) => artifactId.startsWith(prefix));
    for (const { artifactId } of own.slice(kept)) await canvas.remove(userId, threadId, artifactId);
  } catch (error) {
    // A canvas that is full, or a thread that is gone, does not stop the run.
    if (!hasCode(error, 'TOO_LARGE') && !hasCode(error, 'TOO_MANY_ARTIFACTS') && !hasCode(error, 'NOT_FOUND'))
      onError(error);
  }
};
