import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { Person } from '../../harness/index.ts';
import { evidence } from '../checker/a-good-run.ts';
import { at } from '../checker/at.ts';
import { createFacts, violations } from '../checker/index.ts';
import type { Happening } from '../history.ts';
import { followProcess, linesOf } from './follow-process.ts';

const op = 'op-400000';
const all = linesOf(op);

interface Piece {
  state: 'running' | 'ended';
  output?: string;
  from?: number;
  cursor?: number;
  ended?: string;
  more?: number;
}

/** What is noted of a process whose reads give these pieces, one after the other, and then nothing. */
const follow = async ([first, ...pieces]: Piece[]) => {
  const noted: Happening[] = [];
  const text = (piece?: Piece) => JSON.stringify({ process: 'p1', ...piece });
  const run = {
    mutate: async () => {
      const piece = pieces.shift();
      if (piece === undefined) throw new Error('The machine does not answer');
      return { result: { content: [{ type: 'text', text: text(piece) }] } };
    },
  };
  const clock = createFakeClock();
  void followProcess(
    {
      // Nothing else of a person is used.
      person: { api: { calls: { run } } } as unknown as Person,
      history: { note: (one) => void noted.push(one), close: async () => {} },
      clock,
    },
    op,
    text(first),
  );
  while (noted.length === 0) {
    await nextMacrotask();
    clock.advance(1_000);
  }
  return noted.map((one) => (one.type === 'process-read' ? one.wrong : []));
};

const piece = (from: number, to: number, more: Partial<Piece> = {}): Piece => ({
  ...{ state: 'running', output: all.slice(from, to), from, cursor: to },
  ...more,
});
const exited = { state: 'ended', ended: 'exited' } as const;

it.each<[string, Piece[], number]>([
  ['all of it', [piece(0, 50), piece(50, 90), piece(90, all.length, exited)], 0],
  ['what a killed daemon left', [piece(0, 50), { state: 'ended', ended: 'daemon' }], 0],
  ['a part, and then no answer,', [piece(0, 50), piece(50, 90, { ...exited, more: 9 })], 0],
  ['less than all', [piece(0, 50), piece(50, 90, exited)], 1],
  ['a gap', [piece(0, 50), piece(60, all.length, exited)], 2],
  ['a part twice', [piece(0, 50), piece(40, all.length, exited)], 2],
  ['other text', [{ ...piece(0, 50, exited), output: 'x' }], 1],
])('%s of the output', async (_name, pieces, wrong) => {
  const [noted = []] = await follow(pieces);
  expect(noted).toHaveLength(wrong);
});

it('P1 finds what was noted of it', () => {
  const noted = at(2_000, { type: 'process-read', op, ended: 'exited', wrong: ['was read twice'] });
  expect(violations(createFacts(evidence({}, [noted])))).toEqual([
    { invariant: 'P1', sentence: `the process of ${op} was read twice` },
  ]);
});
