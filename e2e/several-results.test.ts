import { writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Call } from '@drawbridge/contracts/calls';
import { initReply } from '@drawbridge/contracts/daemon-reply';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  connectDaemon,
  createProcesses,
  run,
  startServer,
  textOf,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';

const calls = 30;
const names = Array.from({ length: calls }, (_, at) => `note-${at}.txt`);

/** How the proxy changes a request for one route; without a change the server's answer is passed on. */
type Change = (answer: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Stands between the daemon and the server. */
const startWay = async (target: string) => {
  const posts: string[] = [];
  const changes = new Map<string, Change>();
  const way = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^.*\/gateway\//, '');
    // The socket has other batches; a proxy that refuses it leaves the event stream.
    if (path === 'socket') return void response.writeHead(404).end();
    if (request.method === 'POST') posts.push(path);
    const { host: _host, ...headers } = request.headers;
    const outgoing = httpRequest(target + request.url, { method: request.method, headers, agent: false });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      const change = changes.get(path);
      if (change) return void change(answer, response);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    request.pipe(outgoing);
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so its address is an object.
  const { port } = way.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    changes,
    close: () => {
      way.closeAllConnections();
      way.close();
    },
  };
};

const processes = createProcesses();
let server: Server;
let ann: Person;
let way: Awaited<ReturnType<typeof startWay>>;

beforeAll(async () => {
  server = await startServer(processes);
  ann = await server.createOwner();
  way = await startWay(server.url);
});
afterEach(async () => {
  way.changes.clear();
  way.posts.length = 0;
  await ann.api.gateway.disconnect.mutate();
});
afterAll(async () => {
  way.close();
  await processes.stopAll();
});

const connected = async (): Promise<Daemon> => {
  const daemon = await connectDaemon(processes, { person: ann, url: way.url });
  for (const name of names) writeFileSync(join(daemon.root, name), `this is ${name}`);
  return daemon;
};

/** Many calls that reach the machine at the same moment; each must give its own file. */
const readAll = async (daemon: Daemon) => {
  daemon.process.signal('SIGSTOP');
  const reading = names.map((filePath) => run(ann, 'read_file', { filePath }));
  await until(async () => {
    const { calls: newest } = await ann.api.calls.list.query({ limit: calls });
    return newest.filter(({ state }) => state === 'delivered').length === calls;
  });
  daemon.process.signal('SIGCONT');
  const ended = await Promise.all(reading);
  const fileIn = (call: Call) => names.find((name) => textOf(call)?.includes(`this is ${name}`));
  expect(ended.map((call) => [call.state, fileIn(call)])).toEqual(names.map((name) => ['succeeded', name]));
};

const results = () => way.posts.filter((path) => path.startsWith('response'));
const together = () => results().filter((path) => path === 'responses');

it('the results of calls that run at the same time come together, each to its own call', async () => {
  await readAll(await connected());
  await until(async () => together().length > 0);
  expect(results().length).toBeLessThan(calls / 2);
});

it('to a server that does not announce it each result goes alone', async () => {
  let removed = 0;
  way.changes.set('init', async (answer, response) => {
    // The daemon checks its key first; that answer names no features.
    const { features = [], ...reply } = initReply.parse(JSON.parse(await text(answer)));
    if (features.includes('responses')) removed += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  await readAll(await connected());
  await until(async () => results().length === calls);
  expect([removed, together()]).toEqual([1, []]);
});

it('where the route has gone, what went together goes alone, and nothing is tried together again', async () => {
  way.changes.set('responses', (answer, response) => {
    answer.resume();
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"code":"NOT_FOUND","message":"Not found"}');
  });
  const daemon = await connected();
  await readAll(daemon);
  const tried = together().length;
  expect(tried).toBeGreaterThan(0);
  await readAll(daemon);
  expect(together()).toHaveLength(tried);
});

it('an answer that is lost on the way loses no result and gives none twice', async () => {
  let lost = 0;
  way.changes.set('responses', (answer, response) => {
    answer.resume();
    lost += 1;
    response.destroy();
  });
  await readAll(await connected());
  // Each that was in a lost one comes again, alone.
  await until(async () => new Set(results().filter((path) => path !== 'responses')).size === calls);
  expect(lost).toBe(together().length);
});
