import {
  createPerson,
  openRpc,
  setupToken,
  startServer,
  until,
  type RpcClient,
} from '@drawbridge/e2e/harness';
import { folderToRead, folderWithMebibyte } from '../files.ts';
import type { Asked } from '../bare.ts';
import { ratio, type Figure, type Group, type Stage } from '../group.ts';
import { latencyMs, perSecond, warmUp, type TimedShot } from '../load.ts';
import { mcpShot } from '../mcp.ts';
import { rpcShot, startProduct, type Product } from '../product.ts';
import { heldBytes, memoryFlags } from '../processes.ts';
import { middleOf } from '../spread.ts';

const kibibyte = 1024;

const newToken = async ({ person }: Pick<Product, 'person'>): Promise<string> =>
  (await person.api.tokens.create.mutate({ name: 'bench' })).token;

/** Results of 1 MiB that a second client asked for. */
const bigResults = 4;

/** The token of a second client, and the call that it makes. */
interface Beside {
  token: string;
  big: Asked;
}

/** Opens a second client that asks for big results. Resolves when the machine has answered all of them. */
const openBeside = async (product: Product, { token, big }: Beside, isRead: boolean): Promise<RpcClient> => {
  const list = async () => (await product.person.api.calls.list.query({ limit: 100 })).calls;
  const before = new Set((await list()).map(({ requestId }) => requestId));
  const client = await openRpc(product.server.url, token);
  if (!isRead) client.pause();
  for (let n = 0; n < bigResults; n += 1) {
    const { name: tool, arguments: args } = big;
    void client.call('tools.execute', { tool, args }).catch(() => {});
  }
  await until(async () => {
    const ended = (await list()).filter((call) => !before.has(call.requestId) && call.endedAt !== null);
    return ended.length === bigResults;
  });
  return client;
};

const slices = 5;

/** The time of a call while a second client does not read its results (`ours`), or reads them (`bare`). */
const besidePaused = async (
  product: Product,
  shot: TimedShot,
  { count, ...other }: Beside & { count: number },
) => {
  const times = { ours: new Array<number>(), bare: new Array<number>() };
  for (let slice = 0; slice < slices; slice += 1)
    for (const name of ['bare', 'ours'] as const) {
      const beside = await openBeside(product, other, name === 'bare');
      for (let n = 0; n < count / slices; n += 1) times[name].push(await shot());
      beside.drop();
      await beside.closed;
    }
  return { ours: middleOf(times.ours), bare: middleOf(times.bare) };
};

/** The most sockets that one token may have open. */
const socketsEach = 20;

/** Memory per socket that is open and idle, over several tokens of several people. */
const idleSockets = async ({ processes }: Stage, people: number): Promise<Figure> => {
  const server = await startServer(processes, { LOG_LEVEL: 'info' }, memoryFlags);
  const owner = await server.createOwner();
  const tokens: string[] = [];
  for (let n = 0; n < people; n += 1) {
    const { url } = await owner.api.invitations.create.mutate();
    const person = createPerson(server.url);
    await person.api.invitations.accept.mutate({
      invitationToken: url.split(/[=#/]/).at(-1) ?? '',
      name: `Person ${n}`,
      email: `person-${n}@example.org`,
      password: setupToken,
    });
    for (const _ of ['first', 'second', 'third']) tokens.push(await newToken({ person }));
  }
  // Hashing the passwords left memory that is not freed at once. A new process starts without it.
  await server.end('SIGTERM');
  await server.restart();
  const each = async (token: string) =>
    Promise.all(Array.from({ length: socketsEach }, () => openRpc(server.url, token)));
  // The first socket also loads code, which is not counted.
  const warm = await openRpc(server.url, tokens[0] ?? '');
  await warm.call('system.info');
  warm.drop();
  const empty = await heldBytes(server.process(), 1);
  const open: RpcClient[] = [];
  for (const token of tokens) open.push(...(await each(token)));
  const full = await heldBytes(server.process(), 2);
  await server.end('SIGKILL');
  return { ours: (full - empty) / open.length / kibibyte };
};

/** `tools.execute` of a read over an open socket, against the same call through `/mcp` on the same server. */
export const rpcGroup: Group<'p50' | 'rate' | 'paused' | 'idle'> = {
  name: 'rpc',
  rows: {
    p50: ratio('`tools.execute` of a read over an open socket, against `/mcp`: p50', 'ms', { atMost: 0.85 }),
    rate: ratio('the same, 64 in flight: calls per second', 'calls/s', { atLeast: 1.3 }),
    paused: ratio('the same beside a client that does not read 4 MiB, against one that does: p50', 'ms', {
      atMost: 1.1,
    }),
    idle: {
      measure: 'memory of the server per idle socket of JSON-RPC',
      kind: 'number',
      unit: 'KiB',
      goal: { atMost: 16 },
    },
  },
  open: async (stage) => {
    const { scaled, inRow } = stage;
    const { root, read } = folderToRead();
    const { read: big } = folderWithMebibyte(root);
    const product = await startProduct(stage, { root, env: { TOKEN_PER_MINUTE: '10000000' } });
    const beside = { token: await newToken(product), big };
    const token = await newToken(product);
    const mcp = await mcpShot(product.pool, read, { authorization: `Bearer ${token}` });
    const shot = rpcShot(await openRpc(product.server.url, token), read);
    const pair = { ours: shot, bare: mcp };
    await warmUp(pair, scaled(1_500));
    return async () => ({
      p50: await inRow('p50', () => latencyMs(pair, scaled(300))),
      rate: await inRow('rate', () => perSecond(pair, scaled(1_500))),
      paused: await inRow('paused', () => besidePaused(product, shot, { ...beside, count: scaled(300) })),
      idle: await inRow('idle', () => idleSockets(stage, 8)),
    });
  },
};
