import type { Thread } from '@drawbridge/contracts/agent/threads';
import { afterEach, expect, it } from 'vitest';
import { agentWorldOf } from '../../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { useThreadsStore } from './use-threads-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const thread = (id: string, change: Partial<Thread> = {}): Thread => ({
  ...{ id, title: id, status: 'idle', waiting: 0, machineId: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  ...change,
});
const idsOf = ({ threads }: ReturnType<typeof useThreadsStore>) => threads.map(({ id }) => id);

it('follows threads that are made, ask and are removed, also while it reads the list', async () => {
  bench = await setBench({ agent: agentWorldOf({ threads: [thread('a'), thread('b')] }) });
  const store = useThreadsStore();
  const loading = store.load();
  store.onThread({ threadId: 'b', thread: null, waiting: 0 });
  store.onThread({
    threadId: 'c',
    thread: thread('c', { updatedAt: '2026-01-02T00:00:00.000Z' }),
    waiting: 3,
  });
  await loading;
  expect([store.waiting, idsOf(store)]).toEqual([3, ['c', 'a']]);
  store.onThread({ threadId: 'a', thread: thread('a', { waiting: 2, status: 'suspended' }), waiting: 5 });
  expect([store.waiting, idsOf(store)]).toEqual([5, ['c', 'a']]);
  store.onThread({ threadId: 'a', thread: null, waiting: 3 });
  expect([store.waiting, idsOf(store)]).toEqual([3, ['c']]);
});
