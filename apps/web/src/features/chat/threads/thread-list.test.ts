import type { Thread } from '@drawbridge/contracts/agent/threads';
import { mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { agentWorldOf } from '../../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import ThreadList from './thread-list.vue';
import { useThreadsStore } from './use-threads-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const thread = (id: string, updatedAt: string, title = 'same title'): Thread => ({
  ...{ id, title, status: 'idle', waiting: 0, machineId: null },
  ...{ createdAt: updatedAt, updatedAt },
});

it('shows the day and the time of each chat, and those that the server finds for a text', async () => {
  bench = await setBench({ agent: agentWorldOf() });
  const { agent } = bench.fixture.world;
  const now = bench.clock.now();
  const at = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000).toISOString();
  const threads = [thread('a', at(0)), thread('b', at(24)), thread('c', at(24 * 40))];
  agent.threads = threads;
  await useThreadsStore().load();
  const list = mount(ThreadList, { props: { current: 'a' }, global: bench.global });
  expect(list.findAll('[data-test=day]').map((one) => one.text())).toEqual([
    'Today',
    'Yesterday',
    expect.stringMatching(/^\w{3} \d+, \d{4}$/),
  ]);
  expect(list.findAll('time').map((one) => one.text())).toEqual(
    Array(3).fill(expect.stringMatching(/^\d\d:\d\d$/)),
  );
  agent.threads = [thread('c', at(0), 'word of a message')];
  await list.get('input[type=search]').setValue('word');
  await expect.poll(() => list.findAll('[data-test=thread]').map((one) => one.text())).toHaveLength(1);
  await list.get('input[type=search]').setValue('nothing');
  await expect.poll(() => list.text()).toContain('No chat has all of these words');
  await list.get('input[type=search]').trigger('keydown', { key: 'Escape' });
  await expect.poll(() => list.findAll('[data-test=thread]')).toHaveLength(3);
});
