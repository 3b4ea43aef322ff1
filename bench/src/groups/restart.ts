import { run } from '@drawbridge/e2e/harness';
import { folderToRead } from '../files.ts';
import type { Group } from '../group.ts';
import { nowMs } from '../load.ts';
import { startProduct } from '../product.ts';

/** The server is killed and started again; the machine must be usable without anybody's doing. */
export const restartGroup: Group<'usable'> = {
  name: 'restart',
  rows: {
    usable: {
      measure: 'server restart: from listening until a call has its result, no pairing',
      kind: 'number',
      unit: 's',
      goal: { atMost: 2 },
    },
  },
  open: async (stage) => {
    const { root, read } = folderToRead();
    const { server, person } = await startProduct(stage, { root });
    return async () => {
      await server.end('SIGKILL');
      await server.restart();
      const startMs = nowMs();
      const call = await run(person, read.name, read.arguments);
      if (call.state !== 'succeeded') throw new Error(`the call after the restart ended as ${call.state}`);
      return { usable: { ours: (nowMs() - startMs) / 1_000 } };
    };
  },
};
