import { join } from 'node:path';
import { rawShot, startBareDaemon, startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import { ratio, type Group } from '../group.ts';
import { latencyMs, perSecond, warmUp, type Compared, type Pair } from '../load.ts';
import { mcpShot, startMcpProxy, startSupergateway } from '../mcp.ts';
import { startProduct } from '../product.ts';

/** The figures of the faster of the two proxies. */
const better = (pick: (...values: number[]) => number, one: Compared, other: Compared): Compared =>
  pick(one.bare, other.bare) === one.bare ? one : other;

/**
 * `tools/call` of `read_file` through `/mcp` (2025-11-25, with a session), against the bare bridge behind a
 * `POST` and against the better of two proxies in front of the filesystem server.
 */
export const mcpGroup: Group<'p50' | 'rate' | 'proxyP50' | 'proxyRate'> = {
  name: 'mcp',
  rows: {
    p50: ratio('the same through `/mcp`: p50', 'ms', { atMost: 1.6 }),
    rate: ratio('the same through `/mcp`, 64 in flight: calls per second', 'calls/s', { atLeast: 0.7 }),
    proxyP50: ratio('the same, against the better of `supergateway` and `mcp-proxy`: p50', 'ms', {
      atMost: 0.85,
    }),
    proxyRate: ratio('the same, 64 in flight: calls per second', 'calls/s', { atLeast: 1.8 }),
  },
  open: async (stage) => {
    const { processes, scaled, inRow } = stage;
    const { root, read } = folderToRead();
    const bare = await startBareServer(processes);
    await startBareDaemon(processes, bare.url, root);
    const product = await startProduct(stage, { root, env: { TOKEN_PER_MINUTE: '10000000' } });
    const { token } = await product.person.api.tokens.create.mutate({ name: 'bench' });
    const ours = await mcpShot(product.pool, read, { authorization: `Bearer ${token}` });
    const readThere = { ...read, name: 'read_text_file', arguments: { path: join(root, 'one-kib.txt') } };
    const [{ pool: first }, { pool: second }] = [
      await startSupergateway(processes, root),
      await startMcpProxy(processes, root),
    ];
    const pairs = {
      bare: { ours, bare: { ...rawShot(bare.pool, '/', read), wholeWay: true as const } },
      first: { ours, bare: await mcpShot(first, readThere) },
      second: { ours, bare: await mcpShot(second, readThere) },
    };
    for (const pair of Object.values(pairs)) await warmUp(pair, scaled(1_500));
    const p50 = (pair: Pair) => latencyMs(pair, scaled(300));
    const rate = (pair: Pair) => perSecond(pair, scaled(1_500));
    return async () => ({
      p50: await inRow('p50', () => p50(pairs.bare)),
      rate: await inRow('rate', () => rate(pairs.bare)),
      proxyP50: await inRow('proxyP50', async () =>
        better(Math.min, await p50(pairs.first), await p50(pairs.second)),
      ),
      proxyRate: await inRow('proxyRate', async () =>
        better(Math.max, await rate(pairs.first), await rate(pairs.second)),
      ),
    });
  },
};
