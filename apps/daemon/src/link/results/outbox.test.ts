import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { largeLength, largePosts } from './result-batcher.ts';
import { createOutbox } from './outbox.ts';
import type { Reply, Result } from '../reply.ts';

const setUp = (reply: Reply<null> = { ok: true, value: null }) => {
  const clock = createFakeClock();
  const posted: string[] = [];
  const settled: [string, string | null][] = [];
  const outbox = createOutbox({
    clock,
    random: () => 0.999_999,
    post: async ({ requestId }) => {
      posted.push(requestId);
      return reply;
    },
    postAll: async () => unreachable,
    takesSeveral: () => false,
    settled: ({ requestId }: Result, refusal) => void settled.push([requestId, refusal]),
  });
  return { clock, outbox, posted, settled };
};

const unreachable: Reply<never> = {
  ok: false,
  failure: { kind: 'network', sentence: 'connection refused' },
  status: null,
};

it('posts nothing before the server can be reached, and then all of it', async () => {
  const { clock, outbox, posted, settled } = setUp();
  for (const requestId of ['a', 'b', 'a']) outbox.add({ requestId, body: '{}' });
  await clock.settle(60_000);
  expect(posted).toEqual([]);
  outbox.flush();
  await outbox.empty();
  expect(posted).toEqual(['a', 'b']);
  expect(settled).toEqual([
    ['a', null],
    ['b', null],
  ]);
});

it('tries again after 1, 2, 4 … 10 s', async () => {
  const { clock, outbox, posted } = setUp(unreachable);
  outbox.flush();
  outbox.add({ requestId: 'a', body: '{}' });
  const counts: number[] = [];
  for (const seconds of [0, 1, 2, 4, 8, 10, 10, 10]) {
    await clock.settle(seconds * 1_000);
    counts.push(posted.length);
  }
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  outbox.close();
  expect(clock.waiting()).toBe(0);
});

it.each([400, 404, 409, 410, 413, 422])('gives a letter up on %i', async (status) => {
  const failure = { kind: 'network', sentence: 'No' } as const;
  const { outbox, settled } = setUp({ ok: false, failure, status });
  outbox.flush();
  outbox.add({ requestId: 'a', body: '{}' });
  await outbox.empty();
  expect(settled).toEqual([['a', 'No']]);
});

it.each([
  ['results', 2_001, 2],
  ['characters', 33, 4 * 1024 * 1024],
])('gives the oldest up when too many %s wait', async (_what, count, length) => {
  const { outbox, settled } = setUp(unreachable);
  const body = 'x'.repeat(length);
  for (let at = 0; at < count; at += 1) outbox.add({ requestId: `r${at}`, body });
  expect(settled).toEqual([['r0', 'too many results wait']]);
  outbox.close();
});

it('posts few large results at a time, in their order, and small ones past them', async () => {
  const posted: string[] = [];
  const ends = new Map<string, (reply: Reply<null>) => void>();
  const clock = createFakeClock();
  const outbox = createOutbox({
    clock,
    random: () => 0.999_999,
    post: ({ requestId }) => {
      posted.push(requestId);
      return new Promise((resolve) => ends.set(requestId, resolve));
    },
    postAll: async () => unreachable,
    takesSeveral: () => false,
    settled: () => {},
  });
  const left: string[] = [];
  const add = (requestId: string, length: number) =>
    void outbox.add({ requestId, body: 'x'.repeat(length) }).then(() => left.push(requestId));
  expect(largePosts).toBe(2);
  outbox.flush();
  for (const requestId of ['a', 'b', 'c', 'd']) add(requestId, largeLength);
  add('small', largeLength - 1);
  outbox.flush();
  await clock.settle();
  expect(posted).toEqual(['a', 'b', 'small']);
  ends.get('b')?.({ ok: true, value: null });
  await clock.settle();
  expect([posted, left]).toEqual([['a', 'b', 'small', 'c'], ['b']]);
  // One that has to wait for its next attempt lets the next one go first.
  ends.get('a')?.(unreachable);
  await clock.settle();
  expect([posted, left]).toEqual([['a', 'b', 'small', 'c', 'd'], ['b']]);
  await clock.settle(1_000);
  expect(posted).toHaveLength(5);
  ends.get('c')?.({ ok: true, value: null });
  await clock.settle();
  expect([posted.at(-1), left]).toEqual(['a', ['b', 'c']]);
  outbox.close();
  await clock.settle();
  expect(left.toSorted()).toEqual(['a', 'b', 'c', 'd', 'small']);
});

it('each of several that went together has its own fate: taken, given up, tried again alone', async () => {
  const clock = createFakeClock();
  const posts: string[] = [];
  const settled: [string, string | null][] = [];
  const fates: Record<string, Reply<null>> = {
    late: {
      ok: false,
      failure: { kind: 'network', sentence: 'This call has another answer already' },
      status: 409,
    },
    busy: { ok: false, failure: { kind: 'network', sentence: 'The store is full' }, status: 503 },
  };
  const outbox = createOutbox({
    clock,
    random: () => 0.999_999,
    post: async ({ requestId }) => {
      posts.push(requestId);
      return { ok: true, value: null };
    },
    postAll: async (results) => {
      posts.push(results.map(({ requestId }) => requestId).join(' '));
      return {
        ok: true,
        value: results.map(({ requestId }) => fates[requestId] ?? { ok: true, value: null }),
      };
    },
    takesSeveral: () => true,
    settled: ({ requestId }, refusal) => void settled.push([requestId, refusal]),
  });
  outbox.flush();
  for (const requestId of ['first', 'good', 'late', 'busy', 'good'])
    void outbox.add({ requestId, body: '{}' });
  await clock.settle();
  expect([posts, settled]).toEqual([
    ['first', 'good late busy'],
    [
      ['first', null],
      ['good', null],
      ['late', 'This call has another answer already'],
    ],
  ]);
  await clock.settle(1_000);
  expect([posts.slice(2), settled.slice(3)]).toEqual([['busy'], [['busy', null]]]);
  await outbox.empty();
  expect(clock.waiting()).toBe(0);
});

it('two answers to one call are two results, the same one is not', async () => {
  const { clock, outbox, posted, settled } = setUp();
  for (const body of ['{"error":"a"}', '{"error":"b"}', '{"error":"a"}'])
    void outbox.add({ requestId: 'r', body });
  outbox.flush();
  await outbox.empty();
  void outbox.add({ requestId: 'r', body: '{"error":"a"}' });
  await clock.settle();
  expect([posted, settled]).toEqual([['r', 'r', 'r'], Array(3).fill(['r', null])]);
});

it('one that is given up because too many wait does not leave any more', async () => {
  const clock = createFakeClock();
  const posts: string[] = [];
  const outbox = createOutbox({
    clock,
    random: () => 0.999_999,
    post: ({ requestId }) => {
      posts.push(requestId);
      return new Promise(() => {});
    },
    postAll: (results) => {
      posts.push(results.map(({ requestId }) => requestId).join(' '));
      return new Promise(() => {});
    },
    takesSeveral: () => true,
    settled: () => {},
  });
  outbox.flush();
  for (let at = 0; at < 2_003; at += 1) void outbox.add({ requestId: `r${at}`, body: '{}' });
  await clock.settle(1_000);
  const left = posts.flatMap((ids) => ids.split(' '));
  expect([left.length, left.slice(0, 2)]).toEqual([2_001, ['r0', 'r3']]);
  outbox.close();
  expect(clock.waiting()).toBe(0);
});

it.each([400, 413, 422])(
  'ends a call whose result is refused with %i by one that says that the tool ran',
  async (status) => {
    const clock = createFakeClock();
    const bodies: unknown[] = [];
    const settled: [string, string | null][] = [];
    const outbox = createOutbox({
      clock,
      random: () => 0.999_999,
      post: async ({ body }) => {
        bodies.push(JSON.parse(body));
        const failure = { kind: 'network', sentence: 'The body cannot be read' } as const;
        return bodies.length === 1 ? { ok: false, failure, status } : { ok: true, value: null };
      },
      postAll: async () => unreachable,
      takesSeveral: () => false,
      settled: ({ requestId }, refusal) => void settled.push([requestId, refusal]),
    });
    outbox.flush();
    const body = '{"result":{"content":[],"structuredContent":{"__proto__":{"a":1}}}}';
    await outbox.add({ requestId: 'a', body });
    const text = 'The tool ran, but the server did not accept the result: The body cannot be read';
    expect(bodies.slice(1)).toEqual([
      { result: { content: [{ type: 'text', text }], isError: true, _meta: { 'drawbridge/started': true } } },
    ]);
    expect(settled).toEqual([['a', 'The body cannot be read']]);
  },
);
