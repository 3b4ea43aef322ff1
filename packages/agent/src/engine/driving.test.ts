import { expect, it } from 'vitest';
import { rowsStore } from '../../test/rows-store.ts';
import { threadRow } from '../../test/rows.ts';
import type { AgentServers } from '../ports/servers.ts';
import { update } from '../rows/store.ts';
import type { RunContext } from './context.ts';
import { ElsewhereError } from '../rows/errors.ts';
import { createDriving } from './driving.ts';

const key = { userId: 'ann', threadId: 't1' };

it('a server that the others may take for dead drives nothing, nor what it drove', async () => {
  let isLive = true;
  const driving = createDriving({
    servers: {
      isLive: () => isLive,
      take: () => Promise.resolve({ ...key, driverId: 'one', fence: 1, wakes: 0, hasCrashed: false }),
    } as unknown as AgentServers,
    store: rowsStore({}),
    open: (own) => ({ store: own }) as RunContext,
    outside: () => expect.unreachable(),
    resume: () => Promise.resolve(),
    isWaitedFor: () => false,
    onLost: () => {},
    onError: (error) => expect.unreachable(String(error)),
  });
  await driving.own(key);
  isLive = false;
  await expect(driving.own(key)).rejects.toThrow(ElsewhereError);
  await expect(driving.own({ ...key, threadId: 't2' })).rejects.toThrow(ElsewhereError);
});

it('what a server could not continue when it took a thread, it continues in its next round', async () => {
  const taken = { ...key, driverId: 'one', fence: 1, wakes: 0 };
  const tried: object[] = [];
  const errors: unknown[] = [];
  const away = new Error('no store');
  const driving = createDriving({
    servers: {
      isLive: () => true,
      take: () => Promise.resolve({ ...taken, hasCrashed: true }),
      driven: () => Promise.resolve([taken]),
      orphans: () => Promise.resolve([]),
    } as unknown as AgentServers,
    store: rowsStore({}),
    open: (own) => ({ store: own }) as RunContext,
    outside: () => expect.unreachable(),
    resume: (_, why) => (tried.push(why) === 1 ? Promise.reject(away) : Promise.resolve()),
    isWaitedFor: () => true,
    onLost: () => {},
    onError: (error) => errors.push(error),
  });
  await driving.own(key);
  await driving.round();
  await driving.round();
  const asTaken = { isTaken: true, hasCrashed: true };
  expect([tried, errors]).toEqual([[asTaken, asTaken], [away]]);
});

it('what others change while a thread is taken is attended to after that', async () => {
  const taken = { ...key, driverId: 'one', fence: 1, wakes: 0 };
  const tried: boolean[] = [];
  const isContinued = Promise.withResolvers<void>();
  const driving = createDriving({
    servers: {
      isLive: () => true,
      take: () => Promise.resolve({ ...taken, hasCrashed: true }),
      driven: () => Promise.resolve([{ ...taken, wakes: 1 }]),
      orphans: () => Promise.resolve([]),
    } as unknown as AgentServers,
    store: rowsStore({}),
    open: (own) => ({ store: own }) as RunContext,
    outside: () => expect.unreachable(),
    resume: (_, { isTaken }) => (tried.push(isTaken) === 1 ? isContinued.promise : Promise.resolve()),
    isWaitedFor: () => true,
    onLost: () => {},
    onError: (error) => expect.unreachable(String(error)),
  });
  const owned = driving.own(key);
  await expect.poll(() => tried).toEqual([true]);
  await driving.round();
  expect(tried).toEqual([true]);
  isContinued.resolve();
  await owned;
  await expect.poll(() => tried).toEqual([true, false]);
});

it('what a driver writes changes nothing once another server drives the thread', async () => {
  const store = rowsStore({ agentThreads: [threadRow('ann', 't1', { driverId: 'one', fence: 1 })] });
  const lost: unknown[] = [];
  const servers: Pick<AgentServers, 'isLive' | 'take'> = {
    isLive: () => true,
    take: () => Promise.resolve({ ...key, driverId: 'one', fence: 1, wakes: 0, hasCrashed: false }),
  };
  const driving = createDriving({
    store,
    // Neither this test nor what it calls uses more of them.
    servers: servers as AgentServers,
    open: (own) => ({ store: own }) as RunContext,
    outside: () => expect.unreachable(),
    resume: () => Promise.resolve(),
    isWaitedFor: () => false,
    onLost: ({ threadId }) => lost.push(threadId),
    onError: (error) => expect.unreachable(String(error)),
  });
  const own = await driving.own(key);
  const title = (text: string) =>
    own.store.commit([update('agentThreads', { userId: 'ann', id: 't1' }, { title: text })], 'kept');
  const stored = async () => (await store.find('agentThreads', { userId: 'ann' }))[0]?.title;
  expect([await title('First'), await stored()]).toEqual([true, 'First']);
  await store.commit(
    [update('agentThreads', { userId: 'ann', id: 't1' }, { driverId: 'two', fence: 2 })],
    'kept',
  );
  await expect(title('Late')).rejects.toThrow(ElsewhereError);
  expect([await stored(), lost]).toEqual(['First', ['t1']]);
});
