import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { engineFixture } from '../../../test/engine-fixture.ts';
import { threadRow } from '../../../test/rows.ts';
import { personSender } from '../../rows/sender.ts';

it('a request ends also where the store could not be read when its run had ended', async () => {
  const clock = createFakeClock();
  const { ctx, lanes, log, errors } = engineFixture({ agentThreads: [threadRow('ann', 't1')] }, { clock });
  const { find } = ctx.store;
  ctx.store.find = (table, ...rest) => {
    if (table !== 'agentRuns' || !log.some((line) => line.startsWith('run-finish')))
      return find(table, ...rest);
    ctx.store.find = find;
    return Promise.reject(new Error('The store is away'));
  };
  const request = await lanes.send(personSender('ann', 'ws'), 't1', { text: 'Go' });
  await expect.poll(() => errors.length).toBe(1);
  for (let turn = 0; turn < 20; turn += 1) await nextMacrotask();
  clock.advance(1_000);
  expect(await request.done).toMatchObject({ outcome: 'completed', content: 'Done.' });
});
