import { sleep, systemClock, type Clock } from '@drawbridge/kit';
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

/** What is wrong with the output of a process that was read piece by piece; `isWhole`: to its end. */
const wrongIn = (op: string, text: string, isWhole: boolean): string[] => {
  const expected = linesOf(op);
  if (!expected.startsWith(text)) return [`read something else than it printed: …${text.slice(-80)}`];
  return isWhole && text !== expected ? [`exited, and ${text.length} characters were read`] : [];
};

/** Reads a process on from what its start gave, until it has ended; notes whether a position was lost. */
export const followProcess = async (
  { person, history, clock = systemClock }: { person: Person; history: History; clock?: Clock },
  op: string,
  started: string | undefined,
): Promise<void> => {
  const first = readIn(started);
  if (first === undefined) return;
  const wrong: string[] = [];
  let [{ state, ended, output: text, cursor = 0, more }, until] = [first, clock.now() + longestMs];
  while ((state === 'running' || more !== undefined) && clock.now() < until) {
    const given = { process: first.process, cursor, waitMs: 1_000, maxChars: 1_000 };
    const call = await person.api.calls.run
      .mutate({ name: 'process_read', arguments: given })
      .catch(() => undefined);
    const next = readIn(call && textOf(call));
    if (next === undefined) {
      await sleep(clock, 500);
      continue;
    }
    if (next.from !== undefined && next.from !== cursor)
      wrong.push(`was read from ${next.from} on, not from ${cursor}`);
    text += next.output;
    cursor = next.cursor ?? cursor;
    ({ state, ended, more } = next);
    until = clock.now() + longestMs;
  }
  if (state === 'ended') wrong.push(...wrongIn(op, text, ended === 'exited' && more === undefined));
  history.note({ type: 'process-read', op, ended: ended ?? null, wrong });
};
