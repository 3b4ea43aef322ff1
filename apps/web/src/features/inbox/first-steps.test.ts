import type { CallSummary } from '@drawbridge/contracts/calls';
import { mount, RouterLinkStub } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { callOf, machineOf } from '../../../test/worlds.ts';
import { useCallsStore } from '../calls/use-calls-store.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import FirstSteps from './first-steps.vue';

let bench: Bench;
afterEach(() => bench.close());

const hour = 3_600_000;
const begin = new Date(Date.UTC(2026, 0, 1)).setHours(0, 0, 0, 0);
const call = (id: number, change: Partial<CallSummary> = {}): CallSummary => ({
  ...callOf({ requestId: `r${id}`, createdAt: new Date(begin).toISOString(), ruling: 'mode' }),
  ...change,
});
const today = (machineId: string, calls: number, asked = 0) => ({ machineId, calls, asked, denied: 0 });
const shown = async (calls: CallSummary[]) => {
  bench = await setBench({
    machines: [machineOf(), machineOf({ id: 'm2' })],
    numbers: [today(machineOf().id, 2_000, 7), today('m2', 3)],
  });
  await Promise.all([useMachinesStore().load(), useCallsStore().load()]);
  for (const one of calls) useCallsStore().onCall({ type: 'call', call: one });
  const stubs = { RouterLink: RouterLinkStub };
  return mount(FirstSteps, { global: { ...bench.global, stubs } });
};

it('once all is done, the last calls stand there, and the day leads into the activity', async () => {
  const asked = { ruling: 'asked', decision: 'allowOnce', door: 'mcp' } as const;
  const before = new Date(begin - hour).toISOString();
  const old = [3, 4, 5, 6].map((id) => call(id, { createdAt: before }));
  const page = await shown([call(1, asked), call(2), ...old]);
  expect(page.findAll('[data-test=last-calls] [data-test=call]')).toHaveLength(5);
  await expect.poll(() => page.get('[data-test=today]').text()).toBe('2003 calls, 7 asked today');
  expect(page.findAllComponents(RouterLinkStub).at(-1)?.props('to')).toEqual({
    path: '/activity',
    query: { from: new Date(begin).toISOString() },
  });
});

it('until then it is the list, which many calls end', async () => {
  const few = await shown([call(1)]);
  expect([few.findAll('li').length, few.find('[data-test=today]').exists()]).toEqual([3, false]);
  await bench.close();
  const many = await shown(Array.from({ length: 50 }, (_, at) => call(at)));
  expect(many.find('[data-test=today]').exists()).toBe(true);
});
