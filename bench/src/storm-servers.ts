import { startServers, toServer } from '@drawbridge/e2e/cluster';
import { createPerson, owner, setupToken } from '@drawbridge/e2e/harness';
import { sleep, systemClock } from '@drawbridge/kit';
import { Client } from 'pg';
import { nowMs } from './load.ts';
import { pairMachines } from './machines.ts';
import { startMachines, watchLatency } from './storm-machines.ts';

const metricsToken = 'a-token-of-the-bench-0123456789-0123456789';
const idleMs = 30_000;
const connectMs = 180_000;
/** Postgres writes its counters late. */
const settleMs = 5_000;

/** Transactions so far; a query alone is one. */
const transactions = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ sum: string }>(
    'select sum(xact_commit + xact_rollback) as sum from pg_stat_database',
  );
  return Number(rows[0]?.sum);
};

/** How many machines have their stream at that server. */
const streamsOf = async (url: string): Promise<number> => {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(/^drawbridge_machine_streams (\d+)$/m.exec(text)?.[1]);
};

const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0);

/** Several servers with many machines: queries while all are idle, then one is killed. */
export const playServers = async ({ daemons, servers }: { daemons: number; servers: number }) => {
  const cluster = await startServers({
    count: servers,
    env: { METRICS_TOKEN: metricsToken },
  });
  const client = new Client({ connectionString: cluster.postgres.url });
  try {
    await client.connect();
    const person = createPerson(cluster.url, { [toServer]: '1' });
    await person.api.setup.createOwner.mutate({ setupToken, ...owner });
    const keys = await pairMachines(cluster.url, cluster.postgres.url, daemons);
    const machines = startMachines(cluster.processes, cluster.url, keys);
    await machines.untilUps(daemons);
    // A stream that was opened may have ended again.
    const heldByAll = async () => sum(await Promise.all(cluster.servers.map(({ url }) => streamsOf(url))));
    const latest = nowMs() + connectMs;
    while ((await heldByAll()) < daemons) {
      if (nowMs() > latest) throw new Error(`Only ${await heldByAll()} of ${daemons} machines are connected`);
      await sleep(systemClock, settleMs);
    }
    await sleep(systemClock, settleMs);
    const before = await transactions(client);
    await sleep(systemClock, idleMs);
    const queries = ((await transactions(client)) - before) / (idleMs / 1_000);
    console.log(
      `${daemons} idle machines on ${servers} servers: ${(queries / servers).toFixed(1)} queries a second of each`,
    );

    const ask = () => person.api.gateway.status.query();
    const calm = watchLatency(ask);
    await sleep(systemClock, settleMs);
    console.log(`panel of another server before: ${await calm()}`);
    const last = cluster.servers.at(-1);
    if (!last) throw new Error('no server');
    const held = await streamsOf(last.url);
    const wanted = machines.ups() + held;
    const startMs = nowMs();
    const latency = watchLatency(ask);
    await last.end('SIGKILL');
    await machines.untilUps(wanted);
    const backMs = nowMs() - startMs;
    console.log(`${held} machines of the killed one: all back after ${(backMs / 1_000).toFixed(1)} s`);
    console.log(`panel of another server meanwhile: ${await latency()}`);
    for (const [line, times] of machines.failures()) console.log(`${line} ${times} times`);
  } finally {
    await client.end();
    await cluster.stop();
  }
};
