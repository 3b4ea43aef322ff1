import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import { openJournal, type Journal, type JournalLimits } from '../../src/journal/journal.ts';

/** A folder that is gone after the test. */
export const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export const clock = createFakeClock();
export const open = async (folder: string, limits?: JournalLimits) => {
  const journal = await openJournal({ folder, clock, ...(limits && { limits }) });
  onTestFinished(journal.close);
  return journal;
};
export const pageOf = (folder: string) => join(folder, 'journal');
export const write = { tool: 'write_file', paths: ['/w/a'] };

/** One call after the other: received, started, done or not, taken or not. */
export const fill = async (journal: Journal) => {
  for (const id of ['taken', 'waiting', 'started']) journal.received(id, 'write_file');
  for (const id of ['taken', 'waiting', 'started']) await journal.started(id, write);
  for (const id of ['taken', 'waiting']) await journal.done(id, `"${id}"`);
  journal.taken('taken');
  journal.received('received', 'write_file');
  journal.received('dropped', 'write_file');
  journal.dropped('dropped');
  await journal.close();
};
