import { newFolder } from '@drawbridge/e2e/harness';
import { folderToRead } from '../files.ts';
import type { Figure, Group, RowText } from '../group.ts';
import { timeOf, type Shot } from '../load.ts';
import { openStreams, pairMachines } from '../machines.ts';
import { startProduct, trpcShot } from '../product.ts';
import { middleOf } from '../spread.ts';

const row = (count: string): RowText => ({
  measure: `a call through tRPC with ${count} machines connected, against 10: p50`,
  kind: 'ratio',
  unit: 'ms',
  goal: { atMost: 1.3 },
});

const sizes = { ten: 10, hundred: 100, thousand: 1_000 };
type Size = keyof typeof sizes;

/** Three servers that differ in how many machines are connected. */
export const growthGroup: Group<'hundred' | 'thousand'> = {
  name: 'growth',
  rows: { hundred: row('100'), thousand: row('1,000') },
  open: async (stage) => {
    const { root, read } = folderToRead();
    const serverWith = async (count: number): Promise<Shot> => {
      const dataDir = newFolder('growth');
      const product = await startProduct(stage, { root, env: { DATA_DIR: dataDir } });
      const { url } = product.server;
      await openStreams(url, await pairMachines(url, dataDir, count));
      return trpcShot(product, read);
    };
    const shots: Record<Size, Shot> = {
      ten: await serverWith(sizes.ten),
      hundred: await stage.inRow('hundred', () => serverWith(sizes.hundred)),
      thousand: await stage.inRow('thousand', () => serverWith(sizes.thousand)),
    };
    const measure = async (count: number) => {
      const times: Record<Size, number[]> = { ten: [], hundred: [], thousand: [] };
      // In turn, so that what else the machine does meets all.
      for (let n = 0; n < count; n++) {
        for (const size of ['ten', 'hundred', 'thousand'] as const)
          times[size].push(await timeOf(shots[size]));
      }
      const bare = middleOf(times.ten);
      const figure = (size: Size): Figure => ({ ours: middleOf(times[size]), bare });
      return { hundred: figure('hundred'), thousand: figure('thousand') };
    };
    // All are measured together; the largest is the one that can hold them up.
    const inTurn = (count: number) => stage.inRow('thousand', () => measure(stage.scaled(count)));
    await inTurn(400);
    return () => inTurn(200);
  },
};
