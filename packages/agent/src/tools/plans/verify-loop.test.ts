import { expect, it } from 'vitest';
import { type Attempts, nextAttempt, type Verdict } from './verify-loop.ts';

const bad = (failure: string, needs: 'patch' | 'rebuild' = 'patch'): Verdict => ({
  ok: false,
  failure,
  needs,
});
const words = ['one', 'two', 'three', 'four', 'five'];

it.each<[string, Verdict[], string[]]>([
  ['a success is done', [{ ok: true }], ['done']],
  ['a failure is patched', [bad('x'), { ok: true }], ['patch', 'done']],
  ['a failure is built anew', [bad('x', 'rebuild'), { ok: true }], ['rebuild', 'done']],
  ['one signature twice ends it', [bad('exit code 1'), bad('Exit code 2')], ['patch', 'failed']],
  [
    'one signature twice ends it, also with another in between',
    [bad('x'), bad('y'), bad('x')],
    ['patch', 'patch', 'failed'],
  ],
  [
    'five different ones end it at the fifth',
    words.map((word) => bad(word)),
    ['patch', 'patch', 'patch', 'patch', 'failed'],
  ],
  [
    'the fifth attempt may succeed',
    [...words.slice(0, 4).map((word) => bad(word)), { ok: true }],
    ['patch', 'patch', 'patch', 'patch', 'done'],
  ],
])('%s', (_what, verdicts, expected) => {
  let attempts: Attempts = { tries: 0, signatures: [] };
  const states = verdicts.map((verdict) => {
    const step = nextAttempt(attempts, verdict);
    attempts = step;
    expect(step.guidance).toMatch(/\.$/);
    return step.state;
  });
  expect(states).toEqual(expected);
  expect(attempts.tries).toBe(verdicts.length);
});
