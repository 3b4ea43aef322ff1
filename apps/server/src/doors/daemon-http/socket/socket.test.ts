import { daemonMounts, gatewayEpochHeader, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { socketLimits, socketPath } from '@drawbridge/contracts/link/socket';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { forbidden, paired } from '../../../../test/paired.ts';
import type { TestServer } from '../../../../test/server.ts';

const { bare, wrapped } = daemonMounts;
const tools = [{ name: 'read_file', inputSchema: { type: 'object' } }];
const daemonInfo = { version: '1.0.0', protocol: 1, features: ['resume', 'probe'], instance: 'i1' };

const initialise = async (server: TestServer, key: string) => {
  const { json } = await server.send(`${bare}/init`, {
    method: 'POST',
    headers: { [gatewayKeyHeader]: key },
    body: { rootPath: '/home/person', tools, daemon: daemonInfo },
  });
  return json as { sessionKey: string; epoch: number; features: string[] };
};

/** A socket as a daemon has it: entries that arrived, and how it ended. */
const openSocket = (server: TestServer, headers: Record<string, string>, path = bare + socketPath) => {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers });
  onTestFinished(() => socket.terminate());
  const entries: unknown[] = [];
  const ended = new Promise<number>((resolve) => {
    socket.on('error', () => {});
    socket.on('close', resolve);
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  socket.on('message', (data) => entries.push(...(JSON.parse(String(data)) as unknown[])));
  const send = (...posts: object[]) => socket.send(JSON.stringify(posts));
  return { socket, entries, ended, send };
};

const setUp = async (environment: Record<string, string> = {}) => {
  const { server, token, panel } = await paired(environment);
  const { sessionKey, epoch, features } = await initialise(server, token);
  const headers = { [gatewayKeyHeader]: sessionKey, [gatewayEpochHeader]: String(epoch) };
  const link = openSocket(server, headers);
  await expect.poll(() => link.entries).toEqual([{ event: { type: 'probe', payload: { id: 1 } } }]);
  link.entries.length = 0;
  return { server, panel, headers, features, link };
};

const result = { result: { content: [{ type: 'text', text: 'done' }] } };

it('carries calls, results and their acknowledgement', async () => {
  const { panel, features, link } = await setUp();
  expect(features).toContain('socket');
  const running = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
  await expect.poll(() => link.entries).toHaveLength(1);
  const [{ event }] = link.entries as [{ event: { payload: { requestId: string } } }];
  const { requestId } = event.payload;
  link.send(
    { id: 1, path: `/progress/${requestId}`, body: { output: 'a line\n', outputOffset: 0 } },
    { id: 2, path: `/response/${requestId}`, body: result },
    { id: 3, path: '/probe', body: { id: 1 } },
  );
  expect(await running).toMatchObject({ state: 'succeeded' });
  await expect.poll(() => link.entries.slice(1)).toHaveLength(3);
  expect(link.entries.slice(1)).toEqual(
    expect.arrayContaining([
      { id: 1, status: 200, body: { ok: true, outputEnd: 7 } },
      { id: 2, status: 200, body: { ok: true } },
      { id: 3, status: 200, body: { ok: true } },
    ]),
  );
  link.send({ id: 4, path: `/response/${requestId}`, body: result });
  await expect
    .poll(() => link.entries.at(-1))
    .toEqual({ id: 4, status: 200, body: { ok: true, duplicate: true } });
});

it('answers a bad post as by HTTP', async () => {
  const { link } = await setUp();
  const bad: [path: string, body: object, status: number, code: string][] = [
    ['/response/unknown', result, 404, 'NOT_FOUND'],
    ['/response/r1', {}, 400, 'BAD_REQUEST'],
    ['/probe', { id: 'x' }, 400, 'BAD_REQUEST'],
    ['/probe/more', { id: 1 }, 404, 'NOT_FOUND'],
    ['/disconnect', {}, 404, 'NOT_FOUND'],
    ['/init', {}, 404, 'NOT_FOUND'],
    ['/toString', {}, 404, 'NOT_FOUND'],
  ];
  link.send(...bad.map(([path, body], at) => ({ id: at + 1, path, body })));
  await expect.poll(() => link.entries).toHaveLength(bad.length);
  for (const [at, [, , status, code]] of bad.entries())
    expect(link.entries).toContainEqual({ id: at + 1, status, body: expect.objectContaining({ code }) });
});

it('a body that HTTP would not read is refused alone, and the others are answered', async () => {
  const { server, headers, link } = await setUp();
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
  const bodies: [body: string, code: string][] = [
    [`{"result":{"content":[],"structuredContent":{"deep":${deep}}}}`, 'TOO_DEEP'],
    [
      `{"result":{"content":[],"structuredContent":{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`,
      'TOO_DEEP',
    ],
    ['{"result":{"content":[],"__proto__":{"x":1}}}', 'BAD_REQUEST'],
    ['{"result":{"content":[],"constructor":{"prototype":{"x":1}}}}', 'BAD_REQUEST'],
  ];
  const posts = bodies.map(([body], at) => `{"id":${at + 1},"path":"/response/r1","body":${body}}`);
  link.socket.send(`[${posts.join(',')},{"id":9,"path":"/probe","body":{"id":1}}]`);
  await expect.poll(() => link.entries).toHaveLength(bodies.length + 1);
  expect(link.entries).toContainEqual({ id: 9, status: 200, body: { ok: true } });
  for (const [at, [body, code]] of bodies.entries()) {
    const alone = await fetch(`${server.url}${bare}/response/r1`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const answer = { id: at + 1, status: alone.status, body: await alone.json() };
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(link.entries).toContainEqual(answer);
  }
});

it('a key that does not hold is refused before the socket opens', async () => {
  const { server, token } = await paired();
  const attempts: Record<string, string>[] = [
    { [gatewayKeyHeader]: 'sess_wrong' },
    {},
    { [gatewayKeyHeader]: token },
  ];
  for (const headers of attempts) expect(await openSocket(server, headers).ended).toBe(403);
  const { status, json } = await server.send(bare + socketPath, {});
  expect([status, json]).toEqual([403, forbidden]);
});

it('is not part of the mount of the specification', async () => {
  const { server, headers } = await setUp();
  expect(await openSocket(server, headers, wrapped + socketPath).ended).toBe(404);
});

it('a message that is not an array of posts ends the socket', async () => {
  const { server, headers } = await setUp();
  const tooMany = Array.from({ length: socketLimits.maxOpenPosts + 1 }, (_, at) => ({
    id: at + 1,
    path: '/x',
    body: {},
  }));
  const bad: [message: string | Buffer, code: number][] = [
    ['hello', 1003],
    ['{"id":1}', 1003],
    ['[]', 1003],
    [Buffer.from('[]'), 1003],
    [JSON.stringify(tooMany), 1008],
    [`[${' '.repeat(socketLimits.maxMessageBytes)}]`, 1009],
  ];
  for (const [message, code] of bad) {
    const { socket, ended } = openSocket(server, headers);
    socket.on('open', () => socket.send(message));
    expect([String(message).slice(0, 20), await ended]).toEqual([String(message).slice(0, 20), code]);
  }
});

it('counts among the streams of its address', async () => {
  const { server, headers, link } = await setUp({ STREAMS_PER_ADDRESS: '1' });
  expect(await openSocket(server, headers).ended).toBe(429);
  expect(link.socket.readyState).toBe(WebSocket.OPEN);
});
