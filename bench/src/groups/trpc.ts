import { poolOf, rawShot, startBareDaemon, startBarePanel } from '../bare.ts';
import { folderToRead } from '../files.ts';
import type { Group } from '../group.ts';
import { latencyMs, perSecond, warmUp } from '../load.ts';
import { startProduct, trpcShot } from '../product.ts';

/** Through the tRPC door, against a bare procedure on Fastify that awaits the bare bridge. */
export const trpcGroup: Group<'p50' | 'rate'> = {
  name: 'trpc',
  rows: {
    p50: {
      measure: 'the same through tRPC, against a bare tRPC procedure: p50',
      kind: 'ratio',
      unit: 'ms',
      goal: { atMost: 1.2 },
    },
    rate: {
      measure: 'the same through tRPC, 64 in flight: calls per second',
      kind: 'ratio',
      unit: 'calls/s',
      goal: { atLeast: 0.95 },
    },
  },
  open: async (stage) => {
    const { root, read } = folderToRead();
    const bare = await startBarePanel(stage.processes);
    await startBareDaemon(stage.processes, bare.url, root);
    const product = await startProduct(stage, { root });
    const pair = { bare: rawShot(poolOf(bare.panelUrl), '/trpc/run', read), ours: trpcShot(product, read) };
    await warmUp(pair, stage.scaled(3_000));
    return async () => ({
      p50: await stage.inRow('p50', () => latencyMs(pair, stage.scaled(300))),
      rate: await stage.inRow('rate', () => perSecond(pair, stage.scaled(1_500))),
    });
  },
};
