import { createFakeClock } from '@drawbridge/kit';
import { afterEach, expect, it, vi } from 'vitest';
import { createMemoryHistory, createRouter } from 'vue-router';
import { pageLoads, prefetch } from './prefetch.ts';

afterEach(() => vi.unstubAllGlobals());

const set = () => {
  const loaded: string[] = [];
  const idle: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (run: () => void) => idle.push(run));
  const page = (path: string) => ({
    path,
    component: async () => {
      loaded.push(path);
      if (path === '/broken') throw new Error('offline');
      return { render: () => null };
    },
  });
  const router = createRouter({
    history: createMemoryHistory(),
    routes: ['/inbox', '/broken', '/agents', '/settings'].map(page),
  });
  const clock = createFakeClock();
  const beIdle = async () => {
    idle.shift()?.();
    await clock.settle();
  };
  return { loaded, router, clock, beIdle };
};

it('loads one page at a time, only while the browser is idle, also after one that failed', async () => {
  const { loaded, router, clock, beIdle } = set();
  prefetch(clock, pageLoads(router, ['/inbox', '/broken', '/agents']));
  await beIdle();
  expect(loaded).toEqual([]);
  clock.advance(3_000);
  await beIdle();
  expect(loaded).toEqual(['/inbox']);
  await beIdle();
  await beIdle();
  await beIdle();
  expect(loaded).toEqual(['/inbox', '/broken', '/agents']);
});

it('stops', async () => {
  const { loaded, router, clock, beIdle } = set();
  const stop = prefetch(clock, pageLoads(router, ['/inbox', '/agents']));
  clock.advance(3_000);
  await beIdle();
  stop();
  await beIdle();
  expect(loaded).toEqual(['/inbox']);
});
