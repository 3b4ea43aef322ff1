import { systemClock } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureSignature, isRepeat, type PastCall } from './repeats.ts';

it.each([
  ['numbers', 'exit code 12 after 340 ms', 'exit code 7 after 9 ms'],
  ['paths', 'ENOENT: open /home/a/x.txt failed', 'ENOENT: open src/b.ts failed'],
  ['paths of Windows', String.raw`cannot read C:\a\b.txt`, String.raw`cannot read D:\c.txt`],
  ['ids', 'call tc_4fQ9 not found', 'call tc_a1B2 not found'],
  ['quotes', `unknown field "size" in 'x'`, `unknown field "colour" in 'y z'`],
  ['addresses', 'no reply from https://a.example/x?y=1', 'no reply from http://b.example'],
  ['case and spaces', 'Not  Found', 'not found'],
])('a signature is without %s', (_what, one, other) => {
  expect(failureSignature('shell', one)).toBe(failureSignature('shell', other));
});

it('a signature keeps the tool and the words of the failure', () => {
  expect(failureSignature('Shell', 'Syntax error')).toBe('shell: syntax error');
  expect(failureSignature('read', 'denied')).not.toBe(failureSignature('write', 'denied'));
});

it('a signature of any text is short and stable', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ maxLength: 1_000 }), (tool, failure) => {
      const signature = failureSignature(tool, failure);
      expect(signature.length).toBeLessThanOrEqual(500);
      expect(failureSignature(tool, failure)).toBe(signature);
    }),
  );
});

it('a signature of a huge text takes no time to speak of', () => {
  const started = systemClock.now();
  for (const unit of ['a', '"', '/', "'a", 'a1-', '\\']) failureSignature('x', unit.repeat(100_000));
  expect(systemClock.now() - started).toBeLessThan(2_000);
});

let ids = 0;
const call = (change: Partial<PastCall> & { text?: string }): PastCall => {
  const { text = 'same', ...rest } = change;
  return {
    id: `tc_${(ids += 1)}`,
    step: 1,
    n: 0,
    effect: 'machine',
    tool: 'shell',
    arguments: '{"a":1,"b":2}',
    outcome: 'ok',
    signature: null,
    result: [{ type: 'text', text }],
    isWriting: false,
    ...rest,
  };
};
const failed = (signature: string, text = `${ids}`) => call({ outcome: 'failed', signature, text });
const edit = call({ tool: 'edit', arguments: '{}', isWriting: true });
const tasks = call({ tool: 'update-tasks', arguments: '{}', effect: 'own', isWriting: true });
const read = call({ tool: 'read', arguments: '{}' });

describe('the same call again', () => {
  const next = { tool: 'shell', arguments: '{ "b": 2, "a": 1 }' };
  it.each([
    ['runs for the first time', [], null],
    ['runs after one failure', [failed('x')], null],
    ['is refused after two equal failures', [failed('x'), failed('x')], /failed twice/],
    ['is refused although something was read meanwhile', [failed('x'), read, failed('x')], /failed twice/],
    [
      'is refused although the checklist was written meanwhile',
      [failed('x'), tasks, failed('x')],
      /failed twice/,
    ],
    ['runs when something was written meanwhile', [failed('x'), edit, failed('x')], null],
    ['runs after two different failures', [failed('x'), failed('y')], null],
    ['runs after two equal results', [call({}), call({})], null],
    ['is refused after three equal results', [call({}), call({}), call({})], /same result three times/],
    ['runs when one result differs', [call({}), call({ text: 'new' }), call({})], null],
    ['runs when it was skipped three times', [1, 2, 3].map(() => call({ outcome: 'skipped' })), null],
    ['runs when it failed before it succeeded', [failed('x'), failed('x'), call({})], null],
  ])('%s', (_what, history, expected) => {
    const steps = history.map((past, step) => ({ ...past, step })).toReversed();
    const refusal = isRepeat(steps, next);
    if (expected === null) expect(refusal).toBeNull();
    else expect(refusal).toMatch(expected);
  });

  it('is another call with other arguments, or with another tool', () => {
    const history = [failed('x'), failed('x')];
    expect(isRepeat(history, { tool: 'shell', arguments: '{"a":2,"b":2}' })).toBeNull();
    expect(isRepeat(history, { tool: 'read', arguments: next.arguments })).toBeNull();
  });

  it('is refused when its cut result differs by its own id alone', () => {
    const cut = [1, 2, 3]
      .map(() => call({}))
      .map((past) => ({ ...past, result: [{ type: 'text' as const, text: past.id }] }));
    expect(isRepeat(cut, next)).toMatch(/same result/);
  });
});
