import { describe, expect, it } from 'vitest';
import { nextMacrotask } from './time/clock.ts';
import { createFakeClock } from './time/fake-clock.ts';
import { createKeyedQueue, createLimiter, createPerMinute, createSerialQueue } from './limiter.ts';

const settle = nextMacrotask;

/** Jobs that end when the test says so, and the order in which they began. */
const jobs = () => {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    job: (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    },
    end: (name: string) => {
      ends.get(name)?.();
      return settle();
    },
  };
};

describe('a limiter', () => {
  it('runs two jobs at once and the others in order', async () => {
    const { run } = createLimiter(2);
    const { started, job, end } = jobs();
    const results = ['a', 'b', 'c', 'd'].map((name) => run(job(name)));
    await settle();
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    await end('d');
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('frees the turn of a job that fails', async () => {
    const { run } = createLimiter(1);
    await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await run(async () => 'next')).toBe('next');
  });

  it('rejects at once when a waiting job is aborted, and never starts it', async () => {
    const { run } = createLimiter(1);
    const { started, job, end } = jobs();
    const abort = new AbortController();
    const first = run(job('first'));
    const aborted = run(job('aborted'), abort.signal);
    const last = run(job('last'));
    await settle();
    abort.abort(new Error('cancelled'));
    await expect(aborted).rejects.toThrow('cancelled');
    await end('first');
    await end('last');
    expect([await first, await last, started]).toEqual(['first', 'last', ['first', 'last']]);
  });

  it('takes no job with a signal that is aborted already', async () => {
    const { run } = createLimiter(1);
    await expect(run(async () => 1, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });

  it('does not end a job that is running when its signal is aborted', async () => {
    const { run } = createLimiter(1);
    const { job, end } = jobs();
    const abort = new AbortController();
    const running = run(job('a'), abort.signal);
    await settle();
    abort.abort(new Error('cancelled'));
    await end('a');
    expect(await running).toBe('a');
  });

  it('keeps an acquired turn until it is released, once', async () => {
    const { acquire } = createLimiter(1);
    const order: string[] = [];
    const release = await acquire();
    const second = acquire().then((releaseSecond) => {
      order.push('second');
      return releaseSecond;
    });
    void acquire().then(() => order.push('third'));
    await settle();
    expect(order).toEqual([]);
    release();
    release();
    (await second)();
    await settle();
    expect(order).toEqual(['second', 'third']);
  });

  it('rejects an acquire that is aborted while it waits', async () => {
    const { acquire } = createLimiter(1);
    const release = await acquire();
    const abort = new AbortController();
    const waiting = acquire(abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    release();
    (await acquire())();
  });
});

describe('a serial queue', () => {
  it('runs one job after the other, also after one that failed', async () => {
    const run = createSerialQueue();
    const { started, job, end } = jobs();
    const failed = run(() => Promise.reject(new Error('no')));
    const results = [run(job('a')), run(job('b'))];
    await expect(failed).rejects.toThrow('no');
    await settle();
    expect(started).toEqual(['a']);
    await end('a');
    await end('b');
    expect(await Promise.all(results)).toEqual(['a', 'b']);
  });
});

describe('a keyed queue', () => {
  it('runs what shares a key in order, and the rest at once', async () => {
    const { run } = createKeyedQueue();
    const { started, job, end } = jobs();
    void run(['x'], job('x1'));
    void run(['x', 'y'], job('xy'));
    void run(['y'], job('y2'));
    void run(['z'], job('z'));
    void run([], job('none'));
    expect(started).toEqual(['x1', 'z', 'none']);
    await end('x1');
    expect(started).toEqual(['x1', 'z', 'none', 'xy']);
    await end('xy');
    expect(started.at(-1)).toBe('y2');
  });

  it('continues after a failed job', async () => {
    const { run } = createKeyedQueue();
    await expect(run(['x'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await run(['x'], async () => 1)).toBe(1);
  });
  it('settles when no job runs or waits, also those that came meanwhile', async () => {
    const { run, settled } = createKeyedQueue();
    const { job, end } = jobs();
    void run('x', async () => {
      await job('x1')();
      void run('y', job('y1'));
    });
    let isSettled = false;
    const waiting = settled().then(() => (isSettled = true));
    await end('x1');
    expect(isSettled).toBe(false);
    await end('y1');
    await waiting;
    expect(isSettled).toBe(true);
  });
});

describe('a limit per minute', () => {
  it('limits the uses of each name per minute and returns when the next one is allowed', () => {
    const clock = createFakeClock(0);
    const limit = createPerMinute({ clock, max: 2 });
    expect([limit.use('a'), limit.use('a'), limit.use('b')]).toEqual([null, null, null]);
    clock.advance(20_500);
    expect([limit.use('a'), limit.use('b')]).toEqual([40, null]);
    clock.advance(39_500);
    expect([limit.use('a'), limit.use('a'), limit.use('a')]).toEqual([null, null, 60]);
  });

  it('counts 5,000 names at most, and drops the one that was used longest ago', () => {
    const limit = createPerMinute({ clock: createFakeClock(0), max: 1 });
    const use = (from: number, to: number) => {
      for (let name = from; name < to; name += 1) limit.use(String(name));
    };
    use(0, 5_000);
    expect(limit.use('0')).toBe(60);
    use(5_000, 5_001);
    expect(limit.use('0')).toBe(60);
    expect(limit.use('1')).toBeNull();
  });

  it('checks without counting', () => {
    const clock = createFakeClock(0);
    const limit = createPerMinute({ clock, max: 1 });
    limit.use('a');
    expect([limit.check('a'), limit.check('a'), limit.use('a'), limit.check('a')]).toEqual([
      null,
      null,
      60,
      60,
    ]);
    clock.advance(60_000);
    expect([limit.check('a'), limit.check('b')]).toEqual([null, null]);
  });
});
