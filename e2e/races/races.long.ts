import { afterAll, expect, it } from 'vitest';
import { createProcesses } from '../harness/index.ts';
import { race } from './play.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

it('FS-07 lets nothing out or in while folders and files are swapped for links', async () => {
  const { counts, swaps, escapes } = await race(processes, { count: 2_000, atOnce: 8 });
  expect(escapes).toEqual([]);
  // Both ways were tried, by every tool.
  expect(Object.values(counts).filter(({ done }) => done === 0)).toEqual([]);
  expect([Object.keys(counts).length, swaps > 100]).toEqual([10, true]);
});
