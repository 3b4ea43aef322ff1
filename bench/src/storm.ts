// Kills and restarts a server with many machines: the time until they reconnect, and the panel's latency.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProcesses, newFolder, startServer } from '@drawbridge/e2e/harness';
import { sleep, systemClock } from '@drawbridge/kit';
import { nowMs } from './load.ts';
import { pairMachines } from './machines.ts';
import { startBuilt } from './processes.ts';

const help = `Usage: pnpm storm [--daemons 2000]

  --daemons  how many machines are connected, each of a person of its own
`;
const clientProcesses = 2;
const limitMs = 120_000;

const { values } = parseArgs({
  options: {
    daemons: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
});

const play = async (count: number) => {
  const processes = createProcesses();
  try {
    const dataDir = newFolder('storm');
    const server = await startServer(processes, { DATA_DIR: dataDir });
    const person = await server.createOwner();
    const keys = await pairMachines(server.url, dataDir, count);
    const share = Math.ceil(count / clientProcesses);
    const clients = Array.from({ length: clientProcesses }, (_item, at) => {
      const keysFile = join(dataDir, `keys-${at}.json`);
      writeFileSync(keysFile, JSON.stringify(keys.slice(at * share, (at + 1) * share)), { mode: 0o600 });
      return startBuilt(processes, {
        name: 'storm-clients',
        args: [server.url, keysFile, String(at * share)],
      });
    });
    const said = () => clients.flatMap((client) => client.output().split('\n'));
    const ups = () => said().filter((line) => line === 'up;').length;
    const untilUps = async (wanted: number) => {
      const untilMs = nowMs() + limitMs;
      while (ups() < wanted) {
        if (nowMs() > untilMs) throw new Error(`${wanted - ups()} of ${count} machines are not back`);
        await sleep(systemClock, 50);
      }
    };
    await untilUps(count);
    const before = said().length;
    await server.end('SIGKILL');
    await server.restart();
    const startMs = nowMs();
    let isBack = false;
    const tookMs: number[] = [];
    const watch = async () => {
      while (!isBack) {
        const askedMs = nowMs();
        await person.api.gateway.status.query();
        tookMs.push(nowMs() - askedMs);
        await sleep(systemClock, 10);
      }
    };
    const watching = watch();
    await untilUps(2 * count).finally(() => (isBack = true));
    const backMs = nowMs() - startMs;
    await watching;
    const sorted = tookMs.toSorted((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);
    const failed = new Map<string, number>();
    for (const line of said().slice(before)) {
      if (line.startsWith('failed ')) failed.set(line, (failed.get(line) ?? 0) + 1);
    }
    console.log(`${count} machines: all back ${(backMs / 1_000).toFixed(1)} s after the server listened`);
    console.log(
      `panel meanwhile: ${sorted.length} calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
    );
    for (const [line, times] of failed) console.log(`${line} ${times} times`);
  } finally {
    await processes.stopAll();
  }
};

if (values.help) console.log(help);
else await play(Number(values.daemons));
