import { maxOpenActions, maxWithdrawn } from '@drawbridge/contracts/machines/runtimes';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createOpenActions } from './open-actions.ts';

const open = () => {
  const ids: string[] = [];
  const withdrawn: string[] = [];
  const clock = createFakeClock();
  const actions = createOpenActions();
  const ask = actions.ofTurn({
    ...{ clock, runtime: 'acp:x', title: 'X', signal: new AbortController().signal },
    progress: () => {},
    asked: (_n, requestId) => ids.push(requestId),
    withdraw: (requestId) => withdrawn.push(requestId),
  });
  const other = (n: number, withdrawal = new AbortController().signal) =>
    ask({ kind: 'other', name: `tool ${n}`, input: null }, n, withdrawal);
  return { ids, withdrawn, actions, clock, other };
};

it('refuses one more while 20 wait for an answer, and takes one again once one was answered', async () => {
  const { ids, actions, other } = open();
  const [first] = Array.from({ length: maxOpenActions }, (_, n) => other(n));
  expect(await other(20)).toEqual({ allow: false, reason: 'Too many requests wait for an answer' });
  actions.allow(ids[0] ?? '');
  expect(await first).toEqual({ allow: true });
  void other(21);
  expect(ids).toHaveLength(maxOpenActions + 1);
});

it('RT-18 one that the program withdraws ends with its call, and a late yes allows nothing; 20 in a turn', async () => {
  const { ids, withdrawn, actions, other } = open();
  for (let n = 0; n < maxWithdrawn; n += 1) {
    const withdrawal = new AbortController();
    const asking = other(n, withdrawal.signal);
    withdrawal.abort();
    expect(await asking).toEqual({ withdrawn: true });
    expect(actions.take(ids.at(-1) ?? '')).toBeUndefined();
  }
  expect(withdrawn).toEqual(ids);
  expect(await other(99)).toEqual({ allow: false, reason: 'Too many requests were withdrawn' });
  expect(await other(99, AbortSignal.abort())).toEqual({ withdrawn: true });
  expect(ids).toHaveLength(maxWithdrawn);
});

it('11 the server has three minutes to take one, as for the turn; one that it has taken waits for its person', async () => {
  const { ids, actions, clock, other } = open();
  const verdicts: unknown[] = [];
  for (const n of [1, 2]) void other(n).then((verdict) => verdicts.push([n, verdict]));
  actions.take(ids[0] ?? '');
  await clock.settle(179_999);
  expect(verdicts).toEqual([]);
  await clock.settle(1);
  const reason = 'The server could not be asked within 3 min';
  expect(verdicts).toEqual([[2, { allow: false, reason }]]);
});
