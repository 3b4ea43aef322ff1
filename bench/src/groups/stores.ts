import { connectDaemon, startServer } from '@drawbridge/e2e/harness';
import { startPostgres } from '@drawbridge/e2e/cluster';
import { poolOf } from '../bare.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Group, type Stage } from '../group.ts';
import { latencyMs, perSecond, warmUp } from '../load.ts';
import { mcpShot } from '../mcp.ts';

/** A server with that store and a daemon; the shot reads through `/mcp`. */
const shotOn = async (stage: Stage, env: Record<string, string>) => {
  const { processes, nodeFlags } = stage;
  const { root, read } = folderToRead();
  const limits = { LOG_LEVEL: 'info', TOKEN_PER_MINUTE: '10000000' };
  const server = await startServer(processes, { ...limits, ...env }, nodeFlags);
  const person = await server.createOwner();
  await connectDaemon(processes, { person, url: server.url, root, nodeFlags });
  const { token } = await person.api.tokens.create.mutate({ name: 'bench' });
  return mcpShot(poolOf(server.url), read, { authorization: `Bearer ${token}` });
};

/** One server on Postgres, against one with its store in a file. */
export const storesGroup: Group<'p50' | 'rate'> = {
  name: 'servers-store',
  givenUpMs: 300_000,
  rows: {
    p50: ratio('`/mcp` reads 1 KiB on Postgres, against the store in a file: p50', 'ms', { atMost: 1.6 }),
    rate: ratio('the same, 64 in flight: calls per second', 'calls/s', { atLeast: 0.45 }),
  },
  open: async (stage) => {
    const { scaled, inRow } = stage;
    const postgres = await startPostgres();
    stage.whenOver(postgres.stop);
    const pair = {
      ours: await shotOn(stage, { DATABASE_URL: postgres.url }),
      bare: await shotOn(stage, {}),
    };
    await warmUp(pair, scaled(1_500));
    return async () => ({
      p50: await inRow('p50', () => latencyMs(pair, scaled(300))),
      rate: await inRow('rate', () => perSecond(pair, scaled(1_500))),
    });
  },
};
