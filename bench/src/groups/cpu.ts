import { openRpc, type RpcClient } from '@drawbridge/e2e/harness';
import { join } from 'node:path';
import { rawShot, startBareDaemon, startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Figure, type Group, type Stage } from '../group.ts';
import { inFlight, timeOf, together, type Shot, type TimedShot } from '../load.ts';
import { mcpShot, startMcpProxy, startSupergateway } from '../mcp.ts';
import { groupProcessorMs } from '../processes.ts';
import { rpcShot, startProduct, trpcShot } from '../product.ts';

/** A way to a file, and the leaders of the process groups that a call passes through. */
interface Way {
  shot: Shot | TimedShot;
  server: number;
  /** The process behind the server; none where the proxy starts it itself. */
  daemon?: number;
}

/** Microseconds of processors that one call takes, in the program and in the system. */
interface Cost {
  server: number;
  daemon: number;
}

const sumOf = ({ server, daemon }: Cost) => server + daemon;
const least = (...costs: Cost[]) => costs.reduce((one, other) => (sumOf(one) <= sumOf(other) ? one : other));

const msOf = ({ server, daemon }: Way): Cost => ({
  server: groupProcessorMs(server),
  daemon: daemon === undefined ? 0 : groupProcessorMs(daemon),
});

const makeCalls = async (shot: Way['shot'], { count, atOnce }: { count: number; atOnce: number }) => {
  if (atOnce === 1) for (let n = 0; n < count; n += 1) await timeOf(shot);
  else await together(shot, count);
};

/** Turns about between the ways, so that what else the machine does meets all of them. */
const slices = 5;

const costsOf = async <Name extends string>(
  ways: Record<Name, Way>,
  load: { count: number; atOnce: number },
): Promise<Record<Name, Cost>> => {
  const names = Object.keys(ways) as Name[];
  const costs = Object.fromEntries(names.map((name) => [name, { server: 0, daemon: 0 }])) as Record<
    Name,
    Cost
  >;
  const count = Math.ceil(load.count / slices);
  for (let slice = 0; slice < slices; slice += 1) {
    for (const name of names) {
      const before = msOf(ways[name]);
      await makeCalls(ways[name].shot, { ...load, count });
      const after = msOf(ways[name]);
      costs[name].server += ((after.server - before.server) * 1_000) / count / slices;
      costs[name].daemon += ((after.daemon - before.daemon) * 1_000) / count / slices;
    }
  }
  return costs;
};

/** The product with each of its doors, the bare chain, and both proxies. */
const startWays = async (stage: Stage) => {
  const { processes } = stage;
  const { root, read } = folderToRead();
  const bareServer = await startBareServer(processes);
  const bareDaemon = await startBareDaemon(processes, bareServer.url, root);
  const product = await startProduct(stage, { root, env: { TOKEN_PER_MINUTE: '10000000' } });
  const { token } = await product.person.api.tokens.create.mutate({ name: 'bench' });
  const authorization = `Bearer ${token}`;
  const ours = { server: product.server.process().pid, daemon: product.daemon.process.pid };
  const bare = {
    shot: rawShot(bareServer.pool, '/', read),
    server: bareServer.process.pid,
    daemon: bareDaemon.pid,
  };
  const there = { ...read, name: 'read_text_file', arguments: { path: join(root, 'one-kib.txt') } };
  const rest: Shot = {
    ...rawShot(product.pool, '/api/v1/calls', read),
    headers: { 'content-type': 'application/json', authorization },
  };
  const client: RpcClient = await openRpc(product.server.url, token);
  const [gateway, proxy] = [await startSupergateway(processes, root), await startMcpProxy(processes, root)];
  return {
    mcp: { ...ours, shot: await mcpShot(product.pool, read, { authorization }) },
    bare,
    supergateway: { shot: await mcpShot(gateway.pool, there), server: gateway.process.pid },
    mcpProxy: { shot: await mcpShot(proxy.pool, there), server: proxy.process.pid },
    trpc: { ...ours, shot: trpcShot(product, read) },
    rest: { ...ours, shot: rest },
    rpc: { ...ours, shot: rpcShot(client, read) },
  } satisfies Record<string, Way>;
};

const row = (way: string, against: string, atMost: number) =>
  ratio(`processor time of a read through ${way}, against ${against}`, 'µs', { atMost });

/** What a call costs in processor time, which a busy machine disturbs less than the clock. */
export const cpuGroup: Group<
  | 'proxyOne'
  | 'proxyMany'
  | 'bareOne'
  | 'bareMany'
  | 'serverOne'
  | 'daemonOne'
  | 'trpcOne'
  | 'restOne'
  | 'rpcOne'
> = {
  name: 'cpu',
  givenUpMs: 300_000,
  rows: {
    proxyOne: row('`/mcp`, one at a time', 'the better of `supergateway` and `mcp-proxy`', 0.8),
    proxyMany: row(`\`/mcp\`, ${inFlight} in flight`, 'the better of the two', 0.55),
    bareOne: row('`/mcp`, one at a time', 'the bare chain', 2.5),
    bareMany: row(`\`/mcp\`, ${inFlight} in flight`, 'the bare chain', 2.5),
    serverOne: row('`/mcp`, one at a time: the server', 'the bare server', 3),
    daemonOne: row('`/mcp`, one at a time: the daemon', 'the bare daemon', 1.5),
    trpcOne: row('tRPC, one at a time', 'the bare chain', 2.5),
    restOne: row('REST, one at a time', 'the bare chain', 2.5),
    rpcOne: row('`tools.execute` over an open socket, one at a time', 'the bare chain', 2),
  },
  open: async (stage) => {
    const ways = await startWays(stage);
    const many = { mcp: ways.mcp, bare: ways.bare, supergateway: ways.supergateway, mcpProxy: ways.mcpProxy };
    const calls = stage.scaled(1_000);
    await costsOf(many, { count: calls * 2, atOnce: inFlight });
    await costsOf(ways, { count: calls, atOnce: 1 });
    const figure = (ours: Cost, bare: Cost): Figure => ({ ours: sumOf(ours), bare: sumOf(bare) });
    return async () => {
      const one = await stage.inRow('proxyOne', () => costsOf(ways, { count: calls, atOnce: 1 }));
      const load = { count: calls * 2, atOnce: inFlight };
      const full = await stage.inRow('proxyMany', () => costsOf(many, load));
      return {
        proxyOne: figure(one.mcp, least(one.supergateway, one.mcpProxy)),
        proxyMany: figure(full.mcp, least(full.supergateway, full.mcpProxy)),
        bareOne: figure(one.mcp, one.bare),
        bareMany: figure(full.mcp, full.bare),
        serverOne: { ours: one.mcp.server, bare: one.bare.server },
        daemonOne: { ours: one.mcp.daemon, bare: one.bare.daemon },
        trpcOne: figure(one.trpc, one.bare),
        restOne: figure(one.rest, one.bare),
        rpcOne: figure(one.rpc, one.bare),
      };
    };
  },
};
