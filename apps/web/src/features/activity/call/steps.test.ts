import { expect, it } from 'vitest';
import { callOf, confirmationOf } from '../../../../test/worlds.ts';
import { stepsOf, waitedIn } from './steps.ts';

const endOf = (text: string) => {
  const result = { isError: true, content: [{ type: 'text' as const, text }] };
  const call = callOf({ state: 'failed', endedAt: '2026-01-01T00:00:05.000Z', result });
  return stepsOf({ call, questions: [], machine: 'vm', userId: 'u1' }).at(-1)?.text;
};

it.each([
  ['nothing exists at this path\nmore', 'Failed on vm: nothing exists at this path'],
  // The output is shown above; an exit code in the output is not that of the command.
  [JSON.stringify({ stdout: '"exitCode":7', stderr: 'no script', exitCode: 1 }), 'Failed on vm: exit code 1'],
  [JSON.stringify({ stdout: '', stderr: '', exitCode: null }), 'Failed'],
])('a failure with the result %j ends with %j', (text, end) => {
  expect(endOf(text)).toBe(end);
});

it('sums the waits for answers', () => {
  const at = (seconds: number) =>
    new Date(Date.parse('2026-01-01T00:00:00.000Z') + seconds * 1_000).toISOString();
  const asked = (from: number, to: number | null) =>
    confirmationOf({ createdAt: at(from), decidedAt: to === null ? null : at(to) });
  expect(waitedIn([asked(1, 4), asked(5, 7), asked(8, null)])).toBe(5_000);
});
