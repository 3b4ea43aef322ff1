import { execFileSync } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectDaemon,
  createProcesses,
  daemonEntry,
  run,
  startServer,
  textOf,
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
      answer.pipe(response);
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

/** What `drawbridge status` says of the link. */
const statusOf = ({ home }: Daemon): string => {
  const env = { ...process.env, HOME: home };
  const text = execFileSync(process.execPath, [daemonEntry, 'status', '--json'], { env, encoding: 'utf8' });
  return JSON.parse(text).daemons[0].link.way;
};

it('goes over a WebSocket: no result is posted, and a cut socket opens again', async () => {
  const daemon = await connected('passes');
  expect(await readNote()).toContain('this is the note');
  expect([statusOf(daemon), resultPosts()]).toEqual(['socket', []]);
  proxy.cut();
  await daemon.process.says(/reconnecting/);
  const { requestId, state } = await run(ann, 'read_file', { filePath: 'note.txt' });
  expect([statusOf(daemon), state]).toEqual(['socket', 'succeeded']);
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
  expect(statusOf(daemon)).toBe('stream');
  expect(resultPosts()).toHaveLength(1);
});
