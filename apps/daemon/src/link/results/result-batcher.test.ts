import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createResultBatcher, largeLength, largePosts, smallPosts, waitMs } from './result-batcher.ts';
import type { Reply } from '../reply.ts';

const taken: Reply<null> = { ok: true, value: null };
const refused = (status: number | null): Reply<never> => ({
  ok: false,
  failure: { kind: 'network', sentence: `HTTP ${status}` },
  status,
});

/** A server that answers when the test says so; `posts` are the requests, by the ids in them. */
const setUp = (takesSeveral = true) => {
  const clock = createFakeClock();
  const posts: string[] = [];
  const answered: string[] = [];
  const ends: ((status: number | null | 'taken') => void)[] = [];
  const under = { takesSeveral };
  const arrive = (ids: string) => {
    posts.push(ids);
    return new Promise<number | null | 'taken'>((resolve) => ends.push(resolve));
  };
  const batcher = createResultBatcher({
    clock,
    post: async ({ requestId }) => {
      const end = await arrive(requestId);
      return end === 'taken' ? taken : refused(end);
    },
    postAll: async (results) => {
      const end = await arrive(results.map(({ requestId }) => requestId).join(' '));
      if (end !== 'taken') return refused(end);
      return {
        ok: true,
        value: results.map(({ requestId }) => (requestId.startsWith('bad') ? refused(409) : taken)),
      };
    },
    takesSeveral: () => under.takesSeveral,
  });
  const send = (requestId: string, { isRetry = false, body = '{}' } = {}) =>
    batcher.send({
      result: { requestId, body },
      isRetry,
      answered: (reply) => answered.push(`${requestId} ${reply.ok ? 'taken' : reply.status}`),
    });
  /** Answers the request that was posted as number `at`. */
  const end = async (at: number, status: number | null | 'taken' = 'taken') => {
    ends[at]?.(status);
    await clock.settle();
  };
  /** As many posts as are under way at once, each with one result, in turns of their own. */
  const fill = async () => {
    for (let at = 0; at < smallPosts; at += 1) {
      send(`fill-${at}`);
      await clock.settle();
    }
    posts.length = 0;
  };
  return { clock, under, posts, answered, send, end, fill };
};

const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `r${at + from}`);

describe('small results', () => {
  it('one goes at once and alone, those that come in a turn meanwhile go together', async () => {
    const { clock, posts, answered, send, end } = setUp();
    for (const id of ['a', 'b', 'bad-c']) send(id);
    expect(posts).toEqual(['a']);
    await clock.settle();
    expect(posts).toEqual(['a', 'b bad-c']);
    await end(1);
    expect(answered).toEqual(['b taken', 'bad-c 409']);
    await end(0);
    expect(answered).toEqual(['b taken', 'bad-c 409', 'a taken']);
    send('d');
    expect(posts).toEqual(['a', 'b bad-c', 'd']);
  });

  it('each goes alone to a server that has not said that it takes several', async () => {
    const { posts, send } = setUp(false);
    for (const id of many(40)) send(id);
    expect(posts).toEqual(many(40));
  });

  it('wait for a place once eight posts are under way, and go with the first answer', async () => {
    const { clock, posts, send, end, fill } = setUp();
    expect(smallPosts).toBe(8);
    await fill();
    for (const id of ['a', 'b']) send(id);
    await clock.settle();
    send('c');
    await clock.settle();
    expect(posts).toEqual([]);
    await end(5);
    expect(posts).toEqual(['a b c']);
    expect(clock.waiting()).toBe(0);
  });

  it('do not wait longer than 20 ms for answers that do not come', async () => {
    const { clock, posts, send, fill } = setUp();
    expect(waitMs).toBe(20);
    await fill();
    send('a');
    await clock.settle(10);
    send('b');
    await clock.settle(9);
    expect(posts).toEqual([]);
    await clock.settle(1);
    expect(posts).toEqual(['a b']);
    expect(clock.waiting()).toBe(0);
  });

  it.each([
    ['64 results', 130, 'x'.repeat(10), [64, 64, 1]],
    ['64 KiB', 5, 'x'.repeat(20_000), [3, 1]],
    ['64 KiB as they are sent', 5, '€'.repeat(10_000), [2, 2]],
    ['64 KiB, and one that fills them', 3, 'x'.repeat(largeLength - 1), [1, 1]],
  ])('of at most %s go into one request', async (_what, count, body, sizes) => {
    const { clock, posts, send } = setUp();
    for (const id of many(count)) send(id, { body });
    await clock.settle();
    expect(posts[0]).toBe('r0');
    expect(posts.slice(1).map((ids) => ids.split(' ').length)).toEqual(sizes);
    expect(posts.join(' ')).toBe(many(count).join(' '));
  });

  it('that were withdrawn do not go', async () => {
    const { clock, posts, send, end, fill } = setUp();
    await fill();
    const withdraw = ['a', 'b', 'c'].map((id) => send(id));
    await clock.settle();
    expect(clock.waiting()).toBe(1);
    withdraw[1]?.();
    await end(0);
    expect(posts).toEqual(['a c']);
    withdraw[0]?.();
    const last = send('d');
    await clock.settle();
    last();
    expect(clock.waiting()).toBe(0);
  });

  it.each([400, 404, 409, 410, 413, 422])(
    'go alone where their request is refused with %i',
    async (status) => {
      const { clock, posts, answered, send, end } = setUp();
      for (const id of ['a', 'b', 'c']) send(id);
      await clock.settle();
      await end(1, status);
      expect([posts.slice(2), answered]).toEqual([['b', 'c'], []]);
      await end(2);
      await end(3, status);
      expect(answered).toEqual(['b taken', `c ${status}`]);
    },
  );

  it.each([null, 200, 403, 429, 503])(
    'are told of another failure (%s) each, and go alone the next time',
    async (status) => {
      const { clock, posts, answered, send, end } = setUp();
      for (const id of ['a', 'b', 'c']) send(id);
      await clock.settle();
      await end(1, status);
      expect(answered).toEqual([`b ${status}`, `c ${status}`]);
      for (const id of ['b', 'c']) send(id, { isRetry: true });
      expect(posts.slice(2)).toEqual(['b', 'c']);
    },
  );

  it('that wait when another server has been met go alone', async () => {
    const { posts, under, send, end, fill } = setUp();
    await fill();
    for (const id of ['a', 'b']) send(id);
    under.takesSeveral = false;
    await end(0);
    expect(posts).toEqual(['a', 'b']);
  });
});

it('large results go alone, two at a time, and past the small ones', async () => {
  const { clock, posts, send, end, fill } = setUp();
  expect(largePosts).toBe(2);
  await fill();
  send('small');
  const withdraw = ['a', 'b', 'c', 'd'].map((id) => send(id, { body: 'x'.repeat(largeLength) }));
  await clock.settle();
  expect(posts).toEqual(['a', 'b']);
  withdraw[2]?.();
  await end(smallPosts);
  expect(posts).toEqual(['a', 'b', 'd']);
});
