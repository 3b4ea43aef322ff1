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
const shown = async (calls: CallSummary[]) => {
  bench = await setBench({ machines: [machineOf()] });
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
  expect(page.get('[data-test=today]').text()).toBe('Today: 2 calls, 1 asked');
  expect(page.findAllComponents(RouterLinkStub).at(-1)?.props('to')).toEqual({
    path: '/activity',
    query: { from: new Date(begin).toISOString() },
  });
});

it('until then it is the list, which many calls end; more than are known are not counted', async () => {
  const few = await shown([call(1)]);
  expect([few.findAll('li').length, few.text().includes('Today')]).toEqual([3, false]);
  await bench.close();
  const many = await shown(Array.from({ length: 50 }, (_, at) => call(at)));
  expect(many.get('[data-test=today]').text()).toBe('Today: at least 50 calls, 0 asked');
});
