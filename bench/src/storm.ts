// Kills a server with many machines: the time until they have all reconnected, and the panel's latency.
import { parseArgs } from 'node:util';
import { createProcesses, newFolder, startServer } from '@drawbridge/e2e/harness';
import { nowMs } from './load.ts';
import { pairMachines } from './machines.ts';
import { startMachines, watchLatency } from './storm-machines.ts';
import { playServers } from './storm-servers.ts';

const help = `Usage: pnpm storm [--daemons 2000] [--servers 1]

  --daemons  how many machines are connected, each of a person of its own
  --servers  with 1 the server is killed and started again; with more, one of them is killed, and its
             machines go to the others. Needs Postgres, Redis and HAProxy.
`;

const { values } = parseArgs({
  options: {
    daemons: { type: 'string', default: '2000' },
    servers: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

const play = async (count: number) => {
  const processes = createProcesses();
  try {
    const dataDir = newFolder('storm');
    const server = await startServer(processes, { DATA_DIR: dataDir });
    const person = await server.createOwner();
    const machines = startMachines(processes, server.url, await pairMachines(server.url, dataDir, count));
    await machines.untilUps(count);
    await server.end('SIGKILL');
    await server.restart();
    const startMs = nowMs();
    const latency = watchLatency(() => person.api.gateway.status.query());
    await machines.untilUps(2 * count).catch(async (error: unknown) => {
      await latency();
      throw error;
    });
    const backMs = nowMs() - startMs;
    console.log(`${count} machines: all back ${(backMs / 1_000).toFixed(1)} s after the server listened`);
    console.log(`panel meanwhile: ${await latency()}`);
    for (const [line, times] of machines.failures()) console.log(`${line} ${times} times`);
  } finally {
    await processes.stopAll();
  }
};

if (values.help) console.log(help);
else if (values.servers === '1') await play(Number(values.daemons));
else await playServers({ daemons: Number(values.daemons), servers: Number(values.servers) });
