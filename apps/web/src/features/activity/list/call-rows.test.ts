import type { CallSummary } from '@drawbridge/contracts/calls';
import { expect, it } from 'vitest';
import { callOf } from '../../../../test/worlds.ts';
import { callRows, repeatWords } from './call-rows.ts';

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
const commands = (count: number, change: (index: number) => Partial<CallSummary> = () => ({})) =>
  reads(count, (index) => ({
    ...{ tool: 'shell_execute', subject: 'npm test', createdAt: at(index * 300 * second) },
    ...change(index),
  }));
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
  ['one command, minutes apart', commands(3), [3]],
  ['one command that failed each time', commands(3, () => ({ state: 'failed' })), [3]],
  [
    'one command that failed once',
    commands(4, (index) => (index === 3 ? { state: 'failed' } : {})),
    [3, 'r3'],
  ],
  ['one command, open', commands(3, () => ({ state: 'delivered' })), ['r0', 'r1', 'r2']],
  ['two commands', commands(3, (index) => ({ subject: `echo ${index}` })), ['r0', 'r1', 'r2']],
  ['the first lines of commands', commands(3, () => ({ subject: 'set -e …' })), ['r0', 'r1', 'r2']],
  [
    'one command, hours apart',
    commands(3, (index) => ({ createdAt: at(index * 2 * 3_600 * second) })),
    ['r0', 'r1', 'r2'],
  ],
])('folds repeats: %s', (_name, calls, rows) => expect(shape(calls)).toEqual(rows));

it('shows repeats where one of them is opened, also with new ones', () => {
  expect(shape(reads(5), ['r4'])).toEqual([5, 'r0', 'r1', 'r2', 'r3', 'r4']);
});

it.each([
  ['one command', commands(6), { subject: 'npm test', count: '6 times', folder: '' }],
  [
    'one file, read again',
    reads(4, () => ({ subject: 'a.md' })),
    { subject: 'a.md', count: '4 times', folder: '' },
  ],
  [
    'files, one of them twice',
    reads(5, (index) => ({ subject: `posts/${index % 4}.md` })),
    { subject: '', count: '4 files', folder: 'posts' },
  ],
  ['folders', reads(4, () => ({ tool: 'list_files' })), { subject: '', count: '4 times', folder: '' }],
])('counts repeats: %s', (_name, calls, words) => expect(repeatWords(calls)).toEqual(words));
