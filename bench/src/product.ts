import {
  connectDaemon,
  createPerson,
  freePort,
  newFolder,
  owner,
  setupToken,
  startServer,
  type RpcClient,
} from '@drawbridge/e2e/harness';
import { poolOf, type Asked } from './bare.ts';
import type { Stage } from './group.ts';
import { nowMs, type Shot, type TimedShot } from './load.ts';
import { startBuilt } from './processes.ts';

export interface ProductOptions {
  root: string;
  env?: Record<string, string>;
  /** Of the daemon. */
  flags?: string[];
}

/** The product's server and daemon, paired, with the log on. */
export const startProduct = async (stage: Stage, { root, env, flags = [] }: ProductOptions) => {
  const { processes, nodeFlags } = stage;
  const server = await startServer(processes, { LOG_LEVEL: 'info', ...env }, nodeFlags);
  const person = await server.createOwner();
  const daemon = await connectDaemon(processes, { person, url: server.url, root, nodeFlags, flags });
  return { server, person, daemon, pool: poolOf(server.url) };
};

export type Product = Awaited<ReturnType<typeof startProduct>>;

/** A call through the tRPC door. */
export const trpcShot = ({ pool, person }: Product, { name, arguments: given, expects }: Asked): Shot => ({
  pool,
  path: '/trpc/calls.run',
  headers: { 'content-type': 'application/json', ...person.headers() },
  body: JSON.stringify({ name, arguments: given }),
  expects,
});

/** A call over an open socket. */
export const rpcShot =
  (client: RpcClient, { name: tool, arguments: args, expects }: Asked): TimedShot =>
  async () => {
    const startMs = nowMs();
    const { result, error } = await client.call('tools.execute', { tool, args });
    const tookMs = nowMs() - startMs;
    if (!String(result?.['output']).includes(expects))
      throw new Error(`/rpc answered ${JSON.stringify(error)}`);
    return tookMs;
  };

/** The same server with a port for `gateway.calls.open` itself; `path` names the user. */
export const startCore = async ({ processes, nodeFlags }: Stage, root: string) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = newFolder('data');
  const running = startBuilt(processes, {
    name: 'our-server',
    nodeFlags,
    cwd: dataDir,
    env: { PORT: String(port), DATA_DIR: dataDir, SETUP_TOKEN: setupToken, LOG_LEVEL: 'info' },
  });
  const [, calls = ''] = await running.says(/^calls on (\S+);/m);
  const person = createPerson(url);
  await person.api.setup.createOwner.mutate({ setupToken, ...owner });
  const user = await person.api.account.me.query();
  if (!user) throw new Error('the owner is not signed in');
  await connectDaemon(processes, { person, url, root, nodeFlags });
  return { pool: poolOf(calls), path: `/${user.id}` };
};
