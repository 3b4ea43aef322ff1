import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  connectDaemon,
  createProcesses,
  ended,
  linkOf,
  run,
  startServer,
  textOf,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';

/** What a proxy does with the request for a WebSocket. */
type Way = 'passes' | 'refuses' | 'swallows';

const hop = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

/** Stands between the daemon and the server; counts what the daemon posts. */
const startProxy = async (target: URL, way: { is: Way }) => {
  const posts: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((request, response) => {
    if (request.method === 'POST') posts.push(request.url ?? '');
    const outgoing = httpRequest(new URL(request.url ?? '', target), {
      method: request.method,
      headers: { ...request.headers, connection: 'keep-alive' },
      agent: false,
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      pipeline(answer, response, () => {});
    });
    request.pipe(outgoing);
  });
  proxy.on('upgrade', (request, socket: Socket, head: Buffer) => {
    sockets.add(socket.on('error', () => {}));
    if (way.is === 'refuses') return socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
    if (way.is === 'swallows') return socket.write(hop);
    const upstream = connect(Number(target.port), target.hostname).on('error', () => socket.destroy());
    sockets.add(upstream);
    const lines = request.rawHeaders.flatMap((name, at, all) =>
      at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : [],
    );
    upstream.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so its address is an object.
  const { port } = proxy.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    cut,
    close: () => {
      cut();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
};

const processes = createProcesses();
const way: { is: Way } = { is: 'passes' };
let server: Server;
let ann: Person;
let proxy: Awaited<ReturnType<typeof startProxy>>;

beforeAll(async () => {
  server = await startServer(processes);
  ann = await server.createOwner();
  proxy = await startProxy(new URL(server.url), way);
});
afterEach(() => ann.api.gateway.disconnect.mutate());
afterAll(async () => {
  proxy.close();
  await processes.stopAll();
});

const connected = async (is: Way, flags: string[] = []): Promise<Daemon> => {
  way.is = is;
  proxy.posts.length = 0;
  const daemon = await connectDaemon(processes, { person: ann, url: proxy.url, flags });
  writeFileSync(join(daemon.root, 'note.txt'), 'this is the note');
  return daemon;
};

const readNote = async () => textOf(await run(ann, 'read_file', { filePath: 'note.txt' }));
const resultPosts = () => proxy.posts.filter((path) => path.includes('/response'));

it('goes over a WebSocket: no result is posted, and a cut socket opens again', async () => {
  const daemon = await connected('passes');
  expect(await readNote()).toContain('this is the note');
  expect([linkOf(daemon), resultPosts()]).toEqual(['socket', []]);
  proxy.cut();
  await daemon.process.says(/reconnecting/);
  const { requestId, state } = await run(ann, 'read_file', { filePath: 'note.txt' });
  expect([linkOf(daemon), state]).toEqual(['socket', 'succeeded']);
  // Without its acknowledgement the first result is posted again meanwhile.
  expect(resultPosts().filter((path) => path.includes(requestId))).toEqual([]);
});

it.each<[string, Way, string[]]>([
  ['refuses it', 'refuses', []],
  ['lets it open and nothing through', 'swallows', []],
  ['is not asked for it', 'passes', ['--link', 'stream']],
])('where a proxy %s the event stream is used', async (_, is, flags) => {
  const daemon = await connected(is, flags);
  expect(await readNote()).toContain('this is the note');
  expect(linkOf(daemon)).toBe('stream');
  expect(resultPosts()).toHaveLength(1);
});

describe.each(['socket', 'stream'])('over the %s', (link) => {
  const flags = ['--link', link, '--permission-shell', 'allow', '--dangerously-disable-shell-sandbox'];
  const says = (daemon: Daemon, times: number) =>
    until(async () => daemon.process.output().match(/^\s*connected /gm)?.length === times);

  /** Starts a command that writes a line and waits for a file `go`; gives its id once it runs. */
  const begin = async ({ root }: Daemon): Promise<string> => {
    const command = 'echo run >> ran; while [ ! -e go ]; do sleep 0.05; done; echo out';
    void run(ann, 'shell_execute', { command }).catch(() => undefined);
    await until(async () => existsSync(join(root, 'ran')));
    const { calls } = await ann.api.calls.list.query({ limit: 1 });
    return String(calls[0]?.requestId);
  };

  it('many results, small and large, each reach their own call', async () => {
    const daemon = await connected('passes', flags);
    const texts = Array.from({ length: 12 }, (_, at) => `${at} ${'x'.repeat(at % 4 === 0 ? 300_000 : 10)}`);
    for (const [at, text] of texts.entries()) writeFileSync(join(daemon.root, `${at}.txt`), text);
    daemon.process.signal('SIGSTOP');
    const reading = texts.map((_, at) => run(ann, 'read_file', { filePath: `${at}.txt` }));
    await until(async () => {
      const { calls } = await ann.api.calls.list.query({ limit: texts.length });
      return calls.filter(({ state }) => state === 'delivered').length === texts.length;
    });
    daemon.process.signal('SIGCONT');
    for (const [at, call] of (await Promise.all(reading)).entries())
      expect([at, textOf(call)?.includes(texts[at] ?? '')]).toEqual([at, true]);
    expect(linkOf(daemon)).toBe(link);
  });

  it('a command that is cancelled ends on the machine', async () => {
    const daemon = await connected('passes', flags);
    const requestId = await begin(daemon);
    await ann.api.calls.cancel.mutate({ requestId });
    expect(await ended(ann, requestId)).toMatchObject({ state: 'cancelled' });
    // The machine says this when the command has ended.
    await until(async () => (await ann.api.calls.get.query({ requestId })).started);
  });

  it('a result that was ready while the server was down arrives, of one run', async () => {
    const daemon = await connected('passes', flags);
    const requestId = await begin(daemon);
    await server.end('SIGKILL');
    writeFileSync(join(daemon.root, 'go'), '');
    await daemon.process.says(/reconnecting/);
    await server.restart();
    await says(daemon, 2);
    expect(await ended(ann, requestId)).toMatchObject({ state: 'succeeded' });
    expect([readFileSync(join(daemon.root, 'ran'), 'utf8'), linkOf(daemon)]).toEqual(['run\n', link]);
  });

  it('answers probes, and ends when it is disconnected', async () => {
    const daemon = await connected('passes', flags);
    await until(async () =>
      (await ann.api.machines.list.query()).some(({ latencyMs }) => latencyMs !== null),
    );
    await ann.api.gateway.disconnect.mutate();
    expect(await daemon.process.exit).toEqual({ code: 0, signal: null });
  });
});
