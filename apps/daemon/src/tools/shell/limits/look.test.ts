import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { childrenOf, listsChildren, treeUsage } from './tree-usage.ts';
import { treeLimits, watchLimits } from './watch-limits.ts';

const mebibyte = 1_024 ** 2;

it('SH-89 the limits, and half of a disk that was nearly full at the start', () => {
  const { processes, bytes, keptFree, keptFiles } = treeLimits;
  expect([processes, bytes]).toEqual([1_024, 8_192 * mebibyte]);
  expect([1_000, 512, 100].map((free) => keptFree(free * mebibyte) / mebibyte)).toEqual([256, 256, 50]);
  expect([1_000_000, 20_000, 100, 0].map(keptFiles)).toEqual([10_000, 10_000, 50, 0]);
});

/** A watch of this process that finds too many processes at each look. */
const watchSelf = () => {
  const clock = createFakeClock();
  const exceeded = vi.fn();
  const limits = { ...treeLimits, processes: 0 };
  const stop = watchLimits({ pid: process.pid, folders: [], limits, clock }, exceeded);
  return { clock, exceeded, stop };
};

it('SH-89 one look at a time', async () => {
  const { clock, exceeded, stop } = watchSelf();
  onTestFinished(stop);
  for (let at = 0; at < 3; at += 1) clock.advance(1_000);
  await nextMacrotask();
  expect(exceeded.mock.calls).toEqual([['processes']]);
});

it('SH-89 a look that ends after its command ends nothing', async () => {
  const { clock, exceeded, stop } = watchSelf();
  clock.advance(1_000);
  stop();
  await nextMacrotask();
  expect(exceeded).not.toHaveBeenCalled();
});

it.runIf(listsChildren())('SH-89 what another thread has started counts, up to the limit', async () => {
  const worker = new Worker(
    `const { spawn } = require('node:child_process');
    const { pid } = spawn('sleep', ['1000']);
    require('node:worker_threads').parentPort.postMessage(pid);`,
    { eval: true },
  );
  const [pid] = (await once(worker, 'message')) as [number];
  onTestFinished(async () => {
    process.kill(pid);
    await worker.terminate();
  });
  expect(childrenOf(process.pid)).toContain(pid);
  const count = async (processes: number) =>
    (await treeUsage(process.pid, { processes, bytes: Number.POSITIVE_INFINITY })).processes;
  expect([await count(0), (await count(1_024)) > 1]).toEqual([1, true]);
});
