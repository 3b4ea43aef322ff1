import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { describe, expect, it } from 'vitest';
import { createLiveOutputs } from './live-outputs.ts';

const call = (requestId: string, userId = 'ada') => ({ requestId, userId });
const r1 = call('r1');
const post = (output: string, outputOffset: number, outputKeptFrom = 0): ProgressBody => ({
  output,
  outputOffset,
  outputKeptFrom,
});
const progress = { type: 'progress', requestId: 'r1' };
const shown = (output: string, outputOffset: number) => ({ ...progress, output, outputOffset });

const open = (liveOutputLength = 100, liveOutputsLength = 1_000) =>
  createLiveOutputs({ liveOutputLength, liveOutputsLength });

describe('orders output by its offset', () => {
  it.each([
    ['the first', [], post('one', 0), { event: shown('one', 0), outputEnd: 3 }, 'one'],
    ['what follows', [post('one', 0)], post('two', 3), { event: shown('two', 3), outputEnd: 6 }, 'onetwo'],
    ['a repeat', [post('one', 0)], post('one', 0), { event: progress, outputEnd: 3 }, 'one'],
    [
      'a repeat with more',
      [post('one', 0)],
      post('onetwo', 0),
      { event: shown('two', 3), outputEnd: 6 },
      'onetwo',
    ],
    ['after a gap that can be filled: not taken', [], post('two', 3), { event: progress, outputEnd: 0 }, ''],
    [
      'after a gap that cannot be filled',
      [post('one', 0)],
      post('nine', 30, 30),
      { event: shown('nine', 30), outputEnd: 34 },
      'nine',
    ],
  ])('%s', (_name, before: ProgressBody[], body, taken, kept) => {
    const outputs = open();
    for (const one of before) outputs.append(r1, one);
    expect(outputs.append(r1, body)).toEqual(taken);
    expect(outputs.of('ada').map((event) => event.output ?? '')).toEqual([kept]);
  });
});

it('publishes output without an offset and stores none of it', () => {
  const outputs = open();
  const body = { output: 'one', message: 'working' };
  expect(outputs.append(r1, body)).toEqual({ event: { ...progress, ...body } });
  expect(outputs.of('ada')).toEqual([{ ...progress, message: 'working' }]);
});

it('keeps the newest output and the last message of a call', () => {
  const outputs = open(4);
  outputs.append(r1, { ...post('one', 0), message: 'first' });
  outputs.append(r1, { ...post('two', 3), progress: 1, total: 2 });
  outputs.append(r1, { message: 'second' });
  expect(outputs.of('ada')).toEqual([{ ...shown('etwo', 2), message: 'second', progress: 1, total: 2 }]);
});

it('bounds the output of all calls of one user; the oldest is dropped and continues from its offset', () => {
  const outputs = open(4, 10);
  for (const id of ['r1', 'r2', 'r3']) outputs.append(call(id), post('abcd', 0));
  outputs.append(call('b1', 'ben'), post('abcd', 0));
  expect(outputs.of('ada').map(({ requestId, output }) => [requestId, output])).toEqual([
    ['r1', undefined],
    ['r2', 'abcd'],
    ['r3', 'abcd'],
  ]);
  expect(outputs.append(r1, post('e', 4))).toEqual({ event: shown('e', 4), outputEnd: 5 });
});

it('shows calls only to their own user, and forgets a call that has ended', () => {
  const outputs = open();
  outputs.append(r1, post('one', 0));
  expect(outputs.of('ben')).toEqual([]);
  outputs.drop(r1);
  expect(outputs.of('ada')).toEqual([]);
});
