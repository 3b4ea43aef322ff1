import { folderWithMebibyte } from '../files.ts';
import type { Group, RowText } from '../group.ts';
import { timeOf } from '../load.ts';
import { forgetPeak, peakBytes, residentBytes } from '../processes.ts';
import { startProduct, trpcShot } from '../product.ts';

const results = 24;
const mebibyte = 1024 ** 2;

const row = (whose: string): RowText => ({
  measure: `${results} results of 1 MiB at once: peak memory of the ${whose} above idle`,
  kind: 'number',
  unit: 'results',
  goal: { atMost: 8 },
});

export const bigResultsGroup: Group<'server' | 'daemon'> = {
  name: 'big-results',
  rows: { server: row('server'), daemon: row('daemon') },
  open: async (stage) => {
    const { root, read } = folderWithMebibyte();
    // Once more from the beginning in each round: what was once used stays with a process.
    const round = async () => {
      const product = await startProduct(stage, { root });
      const shot = trpcShot(product, read);
      await timeOf(shot);
      const pids = { server: product.server.process().pid, daemon: product.daemon.process.pid };
      const idle = { server: residentBytes(pids.server), daemon: residentBytes(pids.daemon) };
      for (const pid of Object.values(pids)) forgetPeak(pid);
      await Promise.all(Array.from({ length: results }, () => timeOf(shot)));
      const above = (name: keyof typeof pids) => ({ ours: (peakBytes(pids[name]) - idle[name]) / mebibyte });
      const figures = { server: above('server'), daemon: above('daemon') };
      await product.daemon.process.end('SIGTERM');
      await product.server.end('SIGTERM');
      await product.pool.close();
      return figures;
    };
    // Both are measured at once; the server is what the results wait for.
    return () => stage.inRow('server', round);
  },
};
