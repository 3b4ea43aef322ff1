import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createCourier, largeLength, largePosts, smallPosts, waitMs } from './courier.ts';
import type { Reply } from './server-api.ts';

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
  const courier = createCourier({
    clock,
    post: async ({ requestId }) => {
      const end = await arrive(requestId);
      return end === 'taken' ? taken : refused(end);
    },
    postAll: async (letters) => {
      const end = await arrive(letters.map(({ requestId }) => requestId).join(' '));
      if (end !== 'taken') return refused(end);
      return {
        ok: true,
        value: letters.map(({ requestId }) => (requestId.startsWith('bad') ? refused(409) : taken)),
      };
    },
    takesSeveral: () => under.takesSeveral,
  });
  const bring = (requestId: string, { again = false, body = '{}' } = {}) =>
    courier.bring({
      letter: { requestId, body },
      again,
      answered: (reply) => answered.push(`${requestId} ${reply.ok ? 'taken' : reply.status}`),
    });
  /** Answers the request that was posted as number `at`. */
  const end = async (at: number, status: number | null | 'taken' = 'taken') => {
    ends[at]?.(status);
    await clock.settle();
  };
  /** As many posts as are under way at once, each with one letter, in turns of their own. */
  const fill = async () => {
    for (let at = 0; at < smallPosts; at += 1) {
      bring(`fill-${at}`);
      await clock.settle();
    }
    posts.length = 0;
  };
  return { clock, under, posts, answered, bring, end, fill };
};

const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `r${at + from}`);

describe('small letters', () => {
  it('one goes at once and alone, those that come in a turn meanwhile go together', async () => {
    const { clock, posts, answered, bring, end } = setUp();
    for (const id of ['a', 'b', 'bad-c']) bring(id);
    expect(posts).toEqual(['a']);
    await clock.settle();
    expect(posts).toEqual(['a', 'b bad-c']);
    await end(1);
    expect(answered).toEqual(['b taken', 'bad-c 409']);
    await end(0);
    expect(answered).toEqual(['b taken', 'bad-c 409', 'a taken']);
    bring('d');
    expect(posts).toEqual(['a', 'b bad-c', 'd']);
  });

  it('each goes alone to a server that has not said that it takes several', async () => {
    const { posts, bring } = setUp(false);
    for (const id of many(40)) bring(id);
    expect(posts).toEqual(many(40));
  });

  it('wait for a place once eight posts are under way, and go with the first answer', async () => {
    const { clock, posts, bring, end, fill } = setUp();
    expect(smallPosts).toBe(8);
    await fill();
    for (const id of ['a', 'b']) bring(id);
    await clock.settle();
    bring('c');
    await clock.settle();
    expect(posts).toEqual([]);
    await end(5);
    expect(posts).toEqual(['a b c']);
    expect(clock.waiting()).toBe(0);
  });

  it('do not wait longer than 20 ms for answers that do not come', async () => {
    const { clock, posts, bring, fill } = setUp();
    expect(waitMs).toBe(20);
    await fill();
    bring('a');
    await clock.settle(10);
    bring('b');
    await clock.settle(9);
    expect(posts).toEqual([]);
    await clock.settle(1);
    expect(posts).toEqual(['a b']);
    expect(clock.waiting()).toBe(0);
  });

  it.each([
    ['64 letters', 130, 'x'.repeat(10), [64, 64, 1]],
    ['64 KiB', 5, 'x'.repeat(20_000), [3, 1]],
    ['64 KiB as they are sent', 5, '€'.repeat(10_000), [2, 2]],
    ['64 KiB, and one that fills them', 3, 'x'.repeat(largeLength - 1), [1, 1]],
  ])('of at most %s go into one request', async (_what, count, body, sizes) => {
    const { clock, posts, bring } = setUp();
    for (const id of many(count)) bring(id, { body });
    await clock.settle();
    expect(posts[0]).toBe('r0');
    expect(posts.slice(1).map((ids) => ids.split(' ').length)).toEqual(sizes);
    expect(posts.join(' ')).toBe(many(count).join(' '));
  });

  it('that were kept back do not go', async () => {
    const { clock, posts, bring, end, fill } = setUp();
    await fill();
    const keepBack = ['a', 'b', 'c'].map((id) => bring(id));
    await clock.settle();
    expect(clock.waiting()).toBe(1);
    keepBack[1]?.();
    await end(0);
    expect(posts).toEqual(['a c']);
    keepBack[0]?.();
    const last = bring('d');
    await clock.settle();
    last();
    expect(clock.waiting()).toBe(0);
  });

  it.each([400, 404, 409, 410, 413, 422])(
    'go alone where their request is refused with %i',
    async (status) => {
      const { clock, posts, answered, bring, end } = setUp();
      for (const id of ['a', 'b', 'c']) bring(id);
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
      const { clock, posts, answered, bring, end } = setUp();
      for (const id of ['a', 'b', 'c']) bring(id);
      await clock.settle();
      await end(1, status);
      expect(answered).toEqual([`b ${status}`, `c ${status}`]);
      for (const id of ['b', 'c']) bring(id, { again: true });
      expect(posts.slice(2)).toEqual(['b', 'c']);
    },
  );

  it('that wait when another server has been met go alone', async () => {
    const { posts, under, bring, end, fill } = setUp();
    await fill();
    for (const id of ['a', 'b']) bring(id);
    under.takesSeveral = false;
    await end(0);
    expect(posts).toEqual(['a', 'b']);
  });
});

it('large letters go alone, two at a time, and past the small ones', async () => {
  const { clock, posts, bring, end, fill } = setUp();
  expect(largePosts).toBe(2);
  await fill();
  bring('small');
  const keepBack = ['a', 'b', 'c', 'd'].map((id) => bring(id, { body: 'x'.repeat(largeLength) }));
  await clock.settle();
  expect(posts).toEqual(['a', 'b']);
  keepBack[2]?.();
  await end(smallPosts);
  expect(posts).toEqual(['a', 'b', 'd']);
});
