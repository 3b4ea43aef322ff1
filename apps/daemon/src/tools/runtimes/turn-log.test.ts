import { expect, it } from 'vitest';
import { createTurnLog } from './turn-log.ts';

const cut = { type: 'notice', text: 'The rest of this turn is left out: it is too long' };

const open = () => createTurnLog({ output: () => {}, post: () => {} });

it('keeps 2,000 events of a turn, and says that the rest is left out', () => {
  const log = open();
  for (let n = 1; n <= 2_500; n += 1) log.add({ type: 'action', n, kind: 'other', title: 'x' });
  expect(log.events()).toHaveLength(2_001);
  expect(log.events().at(-2)).toMatchObject({ n: 2_000 });
  expect(log.events().at(-1)).toEqual(cut);
});

it('keeps some 200,000 characters of a turn, of pieces of text too', () => {
  const long = open();
  for (let n = 1; n <= 30; n += 1) long.add({ type: 'action', n, kind: 'other', title: 'x'.repeat(10_000) });
  expect(long.events()).toHaveLength(21);
  expect(long.events().at(-1)).toEqual(cut);

  const text = open();
  for (let n = 1; n <= 10_000; n += 1) text.add({ type: 'text', text: 'x'.repeat(100) });
  expect(text.events()).toEqual([{ type: 'text', text: expect.any(String) }, cut]);
  expect(JSON.stringify(text.events()).length).toBeLessThan(201_000);
});
