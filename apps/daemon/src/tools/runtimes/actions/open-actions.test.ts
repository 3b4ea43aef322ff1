import { maxOpenActions } from '@drawbridge/contracts/machines/runtimes';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createOpenActions } from './open-actions.ts';

it('refuses one more while 20 wait for an answer, and takes one again once one was answered', async () => {
  const ids: string[] = [];
  const actions = createOpenActions();
  const ask = actions.ofTurn({
    ...{ clock: createFakeClock(), runtime: 'acp:x', title: 'X', signal: new AbortController().signal },
    progress: () => {},
    asked: (_n, requestId) => ids.push(requestId),
  });
  const other = (n: number) => ask({ kind: 'other', name: `tool ${n}`, input: null }, n);
  const [first] = Array.from({ length: maxOpenActions }, (_, n) => other(n));
  expect(await other(20)).toEqual({ allow: false, reason: 'Too many requests wait for an answer' });
  actions.allow(ids[0] ?? '');
  expect(await first).toEqual({ allow: true });
  void other(21);
  expect(ids).toHaveLength(maxOpenActions + 1);
});
