import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createQueue, maxWaiting, runningLimits, type Lane } from './queue.ts';

/** A queue with jobs that end when the test says so. */
const setUp = () => {
  const clock = createFakeClock();
  const queue = createQueue(clock);
  const begun: string[] = [];
  const told: ProgressBody[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, lane: Lane = 'shell', signal = new AbortController().signal) =>
    queue.run({ lane, signal, progress: (update) => void told.push(update) }, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  return { clock, queue, add, begun, told, end: (name: string) => ends.get(name)?.() };
};

describe('the queue', () => {
  it.each(Object.entries(runningLimits) as [Lane, number][])('runs %s: %i at once', async (group, limit) => {
    const { clock, add, begun, end } = setUp();
    for (let count = 0; count < 20; count += 1) void add(String(count), group);
    await clock.settle();
    expect(begun).toHaveLength(limit);
    end('0');
    await clock.settle();
    expect(begun).toHaveLength(limit + 1);
  });

  it('starts those of a group in their order, and no group waits for another', async () => {
    const { clock, add, begun, end } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) void add(name);
    void add('read', 'filesystemRead');
    await clock.settle();
    expect(begun).toEqual(['a', 'b', 'read']);
    for (const name of ['b', 'a', 'c']) {
      end(name);
      await clock.settle();
    }
    expect(begun).toEqual(['a', 'b', 'read', 'c', 'd', 'e']);
  });

  it('never starts one that was cancelled while it waited, and keeps the order of the rest', async () => {
    const { clock, add, begun, end } = setUp();
    const abort = new AbortController();
    void add('a');
    void add('b');
    const cancelled = add('c', 'shell', abort.signal);
    void add('d');
    abort.abort(new Error('cancelled: user'));
    await expect(cancelled).rejects.toThrow('cancelled: user');
    end('a');
    await clock.settle();
    expect(begun).toEqual(['a', 'b', 'd']);
    expect(clock.waiting()).toBe(0);
  });

  it('goes on after a job that failed', async () => {
    const queue = createQueue(createFakeClock());
    const place = { lane: 'computer', signal: new AbortController().signal, progress: () => {} } as const;
    const jobs = [
      queue.run(place, () => Promise.reject(new Error('no'))),
      queue.run(place, async () => 'yes'),
    ];
    expect(await Promise.allSettled(jobs)).toMatchObject([{ status: 'rejected' }, { value: 'yes' }]);
  });

  it('gives a place to others while its call waits for something else, which comes back in turn', async () => {
    const { clock, queue, add, begun, told, end } = setUp();
    let arrive = () => {};
    const place = {
      lane: 'computer',
      signal: new AbortController().signal,
      progress: (update: ProgressBody) => void told.push(update),
    } as const;
    const outer = queue.run(place, async (outside) => {
      await outside(() => new Promise<void>((resolve) => (arrive = resolve)));
      begun.push('back');
    });
    void add('a', 'computer');
    void add('b', 'computer');
    await clock.settle(1_000);
    expect([begun, told.length]).toEqual([['a'], 2]);
    arrive();
    end('a');
    await clock.settle();
    expect(begun).toEqual(['a', 'b']);
    end('b');
    await outer;
    expect(begun).toEqual(['a', 'b', 'back']);
    void add('c', 'computer');
    void add('d', 'computer');
    await clock.settle();
    expect(begun).toEqual(['a', 'b', 'back', 'c']);
  });

  it('has its place back when what it waited for did not come', async () => {
    const { clock, queue, add, begun } = setUp();
    const place = { lane: 'computer', signal: new AbortController().signal, progress: () => {} } as const;
    await expect(
      queue.run(place, (outside) => outside(() => Promise.reject(new Error('no')))),
    ).rejects.toThrow('no');
    void add('a', 'computer');
    void add('b', 'computer');
    await clock.settle();
    expect(begun).toEqual(['a']);
    expect(clock.waiting()).toBe(1);
  });

  it('refuses one more than may wait', async () => {
    const { clock, add, begun } = setUp();
    for (let count = 0; count < runningLimits.shell + maxWaiting; count += 1) void add(String(count));
    await expect(add('too many')).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' });
    void add('read', 'filesystemRead');
    await clock.settle();
    expect(begun).toEqual(['0', '1', 'read']);
  });

  it('says that it waits, after 1 s and every 10 s then', async () => {
    const { clock, add, told, end } = setUp();
    for (const name of ['a', 'b', 'c']) void add(name);
    await clock.settle(999);
    expect(told).toEqual([]);
    await clock.settle(24_001);
    expect(told).toEqual(Array(3).fill({ message: 'Waiting for other calls on the machine' }));
    end('a');
    await clock.settle(60_000);
    expect(told).toHaveLength(3);
  });
});
