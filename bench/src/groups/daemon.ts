import { startDaemon } from '@drawbridge/e2e/harness';
import { rawShot, startBareDaemon, startBareServer, type Asked } from '../bare.ts';
import { folderToList, folderToRead } from '../files.ts';
import { ratio, type Group } from '../group.ts';
import { latencyMs, perSecond, warmUp } from '../load.ts';
import { residentBytes } from '../processes.ts';

const p50 = (what: string) =>
  ratio(`our daemon on the socket of a bare server, ${what}: p50`, 'ms', { atMost: 1.5 });
const rate = (what: string) =>
  ratio(`our daemon on the socket of a bare server, ${what}, 64 in flight: calls per second`, 'calls/s', {
    atLeast: 0.6,
  });

/** Two bare servers: one with our daemon on a socket, one with a bare daemon on the event stream. */
export const daemonGroup: Group<'readP50' | 'readRate' | 'listP50' | 'listRate' | 'memory'> = {
  name: 'daemon',
  rows: {
    readP50: p50('read 1 KiB'),
    readRate: rate('read 1 KiB'),
    listP50: p50('list 100 entries'),
    listRate: rate('list 100 entries'),
    memory: ratio('memory of our daemon after that load, against the bare daemon', 'MiB', { atMost: 1.2 }),
  },
  open: async ({ processes, scaled, nodeFlags, inRow }) => {
    const { root, read } = folderToRead();
    const list = folderToList(root, 100);
    const bare = await startBareServer(processes);
    const bareDaemon = await startBareDaemon(processes, bare.url, root);
    const ours = await startBareServer(processes);
    const token = `gw_${'b'.repeat(32)}`;
    const { process: ourDaemon } = startDaemon(processes, { url: ours.url, token, root, nodeFlags });
    await ourDaemon.says(/^\s*connected /m);
    const pairOf = (asked: Asked) => ({
      bare: rawShot(bare.pool, '/', asked),
      ours: rawShot(ours.pool, '/', asked),
    });
    const reading = pairOf(read);
    const listing = pairOf(list);
    await warmUp(reading, scaled(3_000));
    await warmUp(listing, scaled(1_000));
    const mebibytes = (pid: number) => residentBytes(pid) / 1024 ** 2;
    return async () => ({
      readP50: await inRow('readP50', () => latencyMs(reading, scaled(300))),
      readRate: await inRow('readRate', () => perSecond(reading, scaled(1_500))),
      listP50: await inRow('listP50', () => latencyMs(listing, scaled(150))),
      listRate: await inRow('listRate', () => perSecond(listing, scaled(500))),
      memory: { ours: mebibytes(ourDaemon.pid), bare: mebibytes(bareDaemon.pid) },
    });
  },
};
