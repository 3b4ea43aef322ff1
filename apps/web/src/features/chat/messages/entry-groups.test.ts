import type { ViewCall, ViewEntry } from '@drawbridge/contracts/agent/threads';
import { expect, it } from 'vitest';
import { entryGroups, groupWords } from './entry-groups.ts';

const callOf = (id: string, change: Partial<ViewCall> = {}): ViewCall => ({
  ...{ id, agentId: 'main', toolName: 'read_file', args: {}, outcome: 'ok', result: '', truncated: false },
  ...{ startedAt: 1_000, endedAt: 2_000 },
  ...change,
});
/** `t` text, `r` thought, `s` a sub-agent; `c` a call that has ended, `o` an open one, `a` one that asks,
 * `p` a picture, `d` one that starts a sub-agent, `f` one that failed to. */
const shape = (signs: string): string => {
  const calls: Record<string, ViewCall> = {};
  const entries = [...signs].map((sign, at): ViewEntry => {
    if (sign === 't') return { type: 'text', step: at, text: 'x' };
    if (sign === 'r') return { type: 'reasoning', step: at, text: 'x' };
    if (sign === 's') return { type: 'agent', agentId: 'a' };
    calls[at] = callOf(String(at), {
      outcome: sign === 'o' ? null : sign === 'f' ? 'failed' : 'ok',
      ...('df'.includes(sign) && { toolName: 'delegate' }),
      ...(sign === 'p' && { pictures: ['f'] }),
    });
    return { type: 'tool', toolCallId: String(at) };
  });
  const isAsked = (id: string) => signs[Number(id)] === 'a';
  const at = (entry: ViewEntry) => signs[entries.indexOf(entry)] ?? '';
  return entryGroups(entries, { calls, isAsked })
    .map((group) => (group.type === 'one' ? at(group.entry) : `(${group.entries.map(at).join('')})`))
    .join('');
};

it.each([
  ['ccc', 'ccc'],
  ['cccc', '(cccc)'],
  ['tccccct', 't(ccccc)t'],
  ['rcrcrcrct', '(rcrcrcrc)t'],
  ['ccccrt', '(cccc)rt'],
  ['ccccr', '(cccc)r'],
  ['cccco', '(cccc)o'],
  ['ccacc', 'ccacc'],
  ['ccccpcccc', '(cccc)p(cccc)'],
  ['cctcc', 'cctcc'],
  // Its sub-agent has a line of its own.
  ['dsdds', 'ss'],
  ['fsd', 'fsd'],
  ['ccccdscccc', '(cccc)s(cccc)'],
])('%s becomes %s', (entries, groups) => {
  expect(shape(entries)).toBe(groups);
});

it('says what the calls were, how many did not succeed, and how long they took', () => {
  const calls = [
    callOf('1'),
    callOf('3'),
    callOf('2', { toolName: 'shell_execute', outcome: 'denied', startedAt: 2_000, endedAt: 13_000 }),
  ];
  expect(groupWords(calls)).toEqual({
    text: '3 calls: 2 reads, 1 command',
    parts: [{ text: '1 denied' }, { text: '12.0 s' }],
  });
  const acted = ['edit', 'execute', 'execute', 'other'].map((kind) =>
    callOf(kind, { toolName: 'runtime_action', args: { kind } }),
  );
  const given = callOf('turn', { toolName: 'runtime_turn' });
  expect(groupWords([given, ...acted]).text).toBe('5 calls: 1 change, 2 commands, 1 task given, 1 other');
});
