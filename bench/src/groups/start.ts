import { startDaemon, type Processes } from '@drawbridge/e2e/harness';
import { startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Group } from '../group.ts';
import { nowMs } from '../load.ts';
import { middleOf } from '../spread.ts';

const nothing = async (processes: Processes): Promise<number> => {
  const startMs = nowMs();
  await processes.start({ command: process.execPath, args: ['-e', '0'] }).exit;
  return nowMs() - startMs;
};

export const startGroup: Group<'start'> = {
  name: 'start',
  rows: {
    start: ratio("our daemon's start until its socket is connected, against `node -e 0`", 'ms', {
      atMost: 2.8,
    }),
  },
  open: async ({ processes, scaled, nodeFlags }) => {
    const { root } = folderToRead();
    const { url } = await startBareServer(processes);
    const token = `gw_${'b'.repeat(32)}`;
    const connected = async (): Promise<number> => {
      const startMs = nowMs();
      const { process: daemon } = startDaemon(processes, { url, token, root, nodeFlags });
      await daemon.says(/^\s*connected /m);
      const tookMs = nowMs() - startMs;
      await daemon.end('SIGKILL');
      return tookMs;
    };
    const round = async () => {
      const times = { ours: new Array<number>(), bare: new Array<number>() };
      for (let n = 0; n < scaled(5); n++) {
        times.bare.push(await nothing(processes));
        times.ours.push(await connected());
      }
      return { start: { ours: middleOf(times.ours), bare: middleOf(times.bare) } };
    };
    await round();
    return round;
  },
};
