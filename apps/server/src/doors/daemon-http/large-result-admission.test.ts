import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createLargeResultAdmission, largeLimits } from './large-result-admission.ts';

const { inAll, holdMs, waitMs } = largeLimits;

const setUp = () => {
  const clock = createFakeClock();
  const largeResults = createLargeResultAdmission(clock);
  const entered: string[] = [];
  const leaves = new Map<string, () => void>();
  /** A name's first letter is its user. */
  const enter = async (name: string, signal = new AbortController().signal) => {
    const leave = await largeResults.enter(name.slice(0, 1), signal);
    entered.push(name);
    leaves.set(name, leave);
  };
  /** What has entered since it was last asked. */
  const news = async () => {
    await clock.settle();
    return entered.splice(0);
  };
  return { clock, enter, news, leave: (name: string) => leaves.get(name)?.() };
};

const ends = (enter: Promise<void>) =>
  enter.then(
    () => 'entered',
    (error: unknown) => error,
  );

describe('large results', () => {
  it('one of a user is processed at a time, and another user is not blocked', async () => {
    const { enter, news, leave } = setUp();
    for (const name of ['a1', 'a2', 'a3', 'b1']) void enter(name);
    expect(await news()).toEqual(['a1', 'b1']);
    leave('a1');
    leave('a1');
    expect(await news()).toEqual(['a2']);
  });

  it('few of all, and then the one that has waited longest', async () => {
    const { enter, news, leave } = setUp();
    expect(inAll).toBe(8);
    for (const user of 'abcdefgh') void enter(`${user}1`);
    expect(await news()).toHaveLength(8);
    for (const name of ['a2', 'i1', 'b2', 'a3']) void enter(name);
    expect(await news()).toEqual([]);
    leave('b1');
    expect(await news()).toEqual(['i1']);
    leave('a1');
    expect(await news()).toEqual(['a2']);
    leave('c1');
    expect(await news()).toEqual(['b2']);
    leave('d1');
    expect(await news()).toEqual([]);
  });

  it('a slow one counts for its user alone', async () => {
    const { clock, enter, news, leave } = setUp();
    for (const user of 'abcdefgh') void enter(`${user}1`);
    expect(await news()).toHaveLength(8);
    for (const name of ['a2', 'i1']) void enter(name);
    await clock.settle(holdMs - 1);
    expect(await news()).toEqual([]);
    await clock.settle(1);
    expect(await news()).toEqual(['i1']);
    leave('a1');
    expect(await news()).toEqual(['a2']);
  });

  it('is refused with a retry when it has waited too long', async () => {
    const { clock, enter } = setUp();
    void enter('a1');
    const late = ends(enter('a2'));
    await clock.settle(waitMs);
    expect(await late).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });

  it('an aborted request gets no slot and leaves the queue', async () => {
    const { clock, enter, news, leave } = setUp();
    void enter('a1');
    const abort = new AbortController();
    const gone = ends(enter('a2', abort.signal));
    void enter('a3');
    abort.abort('left');
    expect(await gone).toBe('left');
    expect(await ends(enter('b1', abort.signal))).toBe('left');
    leave('a1');
    expect(await news()).toEqual(['a1', 'a3']);
    leave('a3');
    expect(clock.waiting()).toBe(0);
  });
});
