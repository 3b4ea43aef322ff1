import type { NoteRow } from '../rows/rows.ts';
import { insert, update, type Write } from '../rows/store.ts';
import type { MemoryContext } from './helper.ts';
import type { History } from './history.ts';
import { estimateTokens } from './tokens.ts';

type Given = Pick<NoteRow, 'userId' | 'threadId' | 'history' | 'kind' | 'text' | 'upToSeq'>;

/** The next note of a history. */
export const newNote = (
  { clock }: Pick<MemoryContext, 'clock'>,
  { nextNoteSeq: seq }: History,
  given: Given,
): NoteRow => ({
  ...given,
  seq,
  tokens: estimateTokens(given.text),
  createdAt: clock.now(),
  replacedAt: null,
});

/** A note in the place of others; the commit fails when another note was written meanwhile. */
export const noteWrites = (note: NoteRow, replaced: readonly NoteRow[]): Write[] => {
  const { userId, threadId, history } = note;
  const where = { userId, threadId, history, seq: replaced.map(({ seq }) => seq) };
  const replace = update('agentNotes', where, { replacedAt: note.createdAt });
  return [...(replaced.length === 0 ? [] : [replace]), insert('agentNotes', note)];
};
