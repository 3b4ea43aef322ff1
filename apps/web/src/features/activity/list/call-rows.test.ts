import type { CallSummary } from '@drawbridge/contracts/calls';
import { expect, it } from 'vitest';
import { callOf } from '../../../../test/worlds.ts';
import { callRows } from './call-rows.ts';

const second = 1_000;
const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') - ms).toISOString();
const reads = (count: number, change: (index: number) => Partial<CallSummary> = () => ({})): CallSummary[] =>
  Array.from({ length: count }, (_, index) => {
    const {
      arguments: _arguments,
      result: _result,
      ...summary
    } = callOf({
      ...{ requestId: `r${index}`, tool: 'read_file', subject: `posts/${index}.md`, state: 'succeeded' },
      createdAt: at(index * second),
      ...change(index),
    });
    return summary;
  });
const shape = (calls: readonly CallSummary[], opened: string[] = []) =>
  callRows(calls, new Set(opened)).map((row) =>
    row.kind === 'call' ? row.call.requestId : row.calls.length,
  );

it.each<[string, CallSummary[], (string | number)[]]>([
  ['three reads', reads(3), ['r0', 'r1', 'r2']],
  ['four reads', reads(4), [4]],
  ['of two folders', reads(8, (index) => (index < 4 ? {} : { subject: `a/${index}` })), [4, 4]],
  ['of two machines', reads(8, (index) => (index < 4 ? {} : { machineId: 'other' })), [4, 4]],
  [
    'of two agents',
    reads(8, (index) => (index < 4 ? {} : { via: { kind: 'token', id: 't', name: 'T' } })),
    [4, 4],
  ],
  ['with a pause', reads(8, (index) => (index < 4 ? {} : { createdAt: at((index + 10) * second) })), [4, 4]],
  ['one of which failed', reads(5, (index) => (index === 4 ? { state: 'failed' } : {})), [4, 'r4']],
  ['writes', reads(4, () => ({ tool: 'write_file' })), ['r0', 'r1', 'r2', 'r3']],
])('folds repeats: %s', (_name, calls, rows) => expect(shape(calls)).toEqual(rows));

it('shows repeats where one of them is opened, also with new ones', () => {
  expect(shape(reads(5), ['r4'])).toEqual([5, 'r0', 'r1', 'r2', 'r3', 'r4']);
});
