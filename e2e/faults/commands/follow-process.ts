import { sleep, systemClock } from '@drawbridge/kit';
import { z } from 'zod';
import { textOf, type Person } from '../../harness/index.ts';
import type { History } from '../history.ts';

/** Lines that a process prints: its op and their number. */
export const lineCount = 200;

export const linesOf = (op: string): string =>
  Array.from({ length: lineCount }, (_, at) => `${op} ${at + 1}\n`).join('');

const read = z.object({
  process: z.string(),
  state: z.enum(['running', 'ended']),
  ended: z.string().optional(),
  // Absent once the daemon was restarted.
  output: z.string().default(''),
  from: z.number().optional(),
  cursor: z.number().optional(),
  more: z.number().optional(),
});

const readIn = (text: string | undefined): z.infer<typeof read> | undefined => {
  try {
    return read.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
};

/** Longer than a process runs and a fault lasts. */
const longestMs = 120_000;

/** What is wrong with the output of a process that was read piece by piece, once it has ended. */
const wrongIn = (op: string, text: string, ended: string | undefined): string[] => {
  const expected = linesOf(op);
  if (!expected.startsWith(text)) return [`read something else than it printed: …${text.slice(-80)}`];
  return ended === 'exited' && text !== expected ? [`exited, and ${text.length} characters were read`] : [];
};

/** Reads a process on from what its start gave, until it has ended; notes whether a position was lost. */
export const followProcess = async (
  { person, history }: { person: Person; history: History },
  op: string,
  started: string | undefined,
): Promise<void> => {
  const first = readIn(started);
  if (first === undefined) return;
  const wrong: string[] = [];
  let [{ state, ended, output: text, cursor = 0, more }, until] = [first, systemClock.now() + longestMs];
  while ((state === 'running' || more !== undefined) && systemClock.now() < until) {
    const given = { process: first.process, cursor, waitMs: 1_000, maxChars: 1_000 };
    const call = await person.api.calls.run
      .mutate({ name: 'process_read', arguments: given })
      .catch(() => undefined);
    const next = readIn(call && textOf(call));
    if (next === undefined) {
      await sleep(systemClock, 500);
      continue;
    }
    if (next.from !== undefined && next.from !== cursor)
      wrong.push(`was read from ${next.from} on, not from ${cursor}`);
    text += next.output;
    cursor = next.cursor ?? cursor;
    ({ state, ended, more } = next);
    until = systemClock.now() + longestMs;
  }
  if (state === 'ended') wrong.push(...wrongIn(op, text, ended));
  history.note({ type: 'process-read', op, ended: ended ?? null, wrong });
};
