import { rawShot, startBareDaemon, startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import type { Group } from '../group.ts';
import { latencyMs, perSecond, warmUp } from '../load.ts';
import { startCore } from '../product.ts';

/** `gateway.calls.open` itself, without a door, against the bare bridge. */
export const callGroup: Group<'p50' | 'rate'> = {
  name: 'call',
  rows: {
    p50: {
      measure: '`gateway.calls.open` reads 1 KiB, one at a time: p50',
      kind: 'ratio',
      unit: 'ms',
      goal: { atMost: 1.5 },
    },
    rate: {
      measure: '`gateway.calls.open` reads 1 KiB, 64 in flight: calls per second',
      kind: 'ratio',
      unit: 'calls/s',
      goal: { atLeast: 0.6 },
    },
  },
  open: async (stage) => {
    const { root, read } = folderToRead();
    const bare = await startBareServer(stage.processes);
    await startBareDaemon(stage.processes, bare.url, root);
    const core = await startCore(stage, root);
    const pair = { bare: rawShot(bare.pool, '/', read), ours: rawShot(core.pool, core.path, read) };
    await warmUp(pair, stage.scaled(3_000));
    return async () => ({
      p50: await stage.inRow('p50', () => latencyMs(pair, stage.scaled(300))),
      rate: await stage.inRow('rate', () => perSecond(pair, stage.scaled(1_500))),
    });
  },
};
