import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { LiveEvent } from '@drawbridge/contracts/live';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  connectDaemon,
  createPerson,
  createProcesses,
  ended,
  freePort,
  linkOf,
  owner,
  proxyNames,
  questionOf,
  run,
  setupToken,
  startDaemon,
  startReverseProxy,
  startServer,
  textOf,
  until,
  type Daemon,
  type Person,
  type ReverseProxy,
  type ReverseProxyOptions,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const fixedKey = 'a-fixed-key-for-one-machine-of-the-tests-0123';
const notFoundPerMinute = 5;

/** A server that is reached through a proxy alone, and its owner on the other side. */
const setUp = async (options: Pick<ReverseProxyOptions, 'name' | 'change'>) => {
  const processes = createProcesses();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer(processes, {
    PUBLIC_URL: url,
    TRUST_PROXY: '127.0.0.1',
    GATEWAY_API_KEY: fixedKey,
    NOT_FOUND_PER_MINUTE: String(notFoundPerMinute),
  });
  const proxy = await startReverseProxy(processes, { ...options, port, upstream: new URL(server.url).host });
  const ann = createPerson(url);
  await ann.api.setup.createOwner.mutate({ setupToken, ...owner });
  return { processes, url, server, proxy, ann };
};

/** A request from another address of this machine; gives the status of its answer. */
const ask = (url: string, from: string, headers: Record<string, string> = {}) =>
  new Promise<number>((resolve, reject) => {
    const asked = request(url, { localAddress: from, agent: false, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', reject).end();
  });

const large = Buffer.alloc(16 * 1024 * 1024, 'x');
const largeBodies = [
  [`Content-Length: ${large.length}`, large],
  [
    'Transfer-Encoding: chunked',
    Buffer.concat([Buffer.from(`${large.length.toString(16)}\r\n`), large, Buffer.from('\r\n0\r\n\r\n')]),
  ],
] as const;

/** Sends all of a request before it looks at the answer; gives the status and the code. */
const sendWhole = (url: string, method: string, [length, body]: (typeof largeBodies)[number]) =>
  new Promise<unknown[]>((resolve, reject) => {
    const { host, hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding('utf8').on('error', reject);
    let text = '';
    const end = () => {
      socket.destroy();
      resolve([Number(text.split(' ')[1]), /"code":"?([\w-]+)/.exec(text)?.[1]]);
    };
    const headers = [`Host: ${host}`, 'Content-Type: application/json', 'Connection: close', length];
    socket.write([`${method} ${pathname} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
    socket.write(body, () => socket.on('data', (more: string) => (text += more)).on('end', end));
  });

describe.each(proxyNames)('behind %s', (name) => {
  describeWith(name)('with the lines of the page', () => {
    let processes: ReturnType<typeof createProcesses>;
    let url: string;
    let server: Server;
    let proxy: ReverseProxy;
    let ann: Person;
    let daemon: Daemon;

    beforeAll(async () => {
      ({ processes, url, server, proxy, ann } = await setUp({ name }));
      daemon = await connectDaemon(processes, { person: ann, url });
    });
    afterAll(() => processes?.stopAll());

    const stateIs = (state: string) =>
      until(async () => (await ann.api.gateway.status.query()).state === state);

    it('a call reaches the machine and its result comes back', async () => {
      writeFileSync(join(daemon.root, 'notes.txt'), 'far away');
      expect(textOf(await run(ann, 'read_file', { filePath: 'notes.txt' }))).toContain('far away');
      expect(linkOf(daemon)).toBe('socket');
    });

    it('the subscription of the panel receives each step at once', async () => {
      const heard: LiveEvent[] = [];
      const subscription = await new Promise<{ unsubscribe(): void }>((resolve, reject) => {
        const opened = ann.api.live.onEvent.subscribe(undefined, {
          onStarted: () => resolve(opened),
          onData: ({ data }) => heard.push(data),
          onError: reject,
        });
      });
      const asked = await run(ann, 'write_file', { filePath: 'new.txt', content: 'x' });
      await questionOf(ann, asked.requestId);
      const states = () =>
        heard.flatMap(({ topic, event }) =>
          topic === 'calls' && event.type === 'call' ? [event.call.state] : [],
        );
      await until(async () => states().includes('awaiting-confirmation'));
      await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
      await until(async () => states().includes('succeeded'));
      subscription.unsubscribe();
    });

    it('a call that its caller leaves is cancelled', async () => {
      const leaving = new AbortController();
      daemon.process.signal('SIGSTOP');
      const call = ann.api.calls.run
        .mutate({ name: 'read_file', arguments: { filePath: 'notes.txt' } }, { signal: leaving.signal })
        .catch(() => 'left');
      const newest = async () => (await ann.api.calls.list.query({ limit: 1 })).calls[0];
      await until(async () => (await newest())?.state === 'delivered');
      leaving.abort();
      expect(await call).toBe('left');
      await until(async () => (await newest())?.state === 'cancelled');
      daemon.process.signal('SIGCONT');
    });

    it('a result of nearly 16 MiB is not too large', async () => {
      const text = 'x'.repeat(16 * 1024 * 1024 - 200);
      const response = await fetch(`${url}${daemonMounts.bare}/response/never-asked`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: fixedKey, 'content-type': 'application/json' },
        body: JSON.stringify({ result: { content: [{ type: 'text', text }] } }),
      });
      expect([response.status, await response.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'NOT_FOUND' }),
      ]);
    });

    it.each([
      ['POST', '/mcp', 401, '-32001'],
      ['POST', '/api/v1/calls', 401, 'UNAUTHORIZED'],
      ['PUT', '/api/v1/calls', 405, 'METHOD_NOT_ALLOWED'],
      ['POST', '/api/auth/sign-in/email', 413, 'TOO_LARGE'],
    ])(
      'who sends 16 MiB to %s %s before looking sees that it was refused',
      async (method, path, ...refusal) => {
        for (const body of largeBodies) {
          for (let tries = 0; tries < 2; tries += 1) {
            expect(await sendWhole(`${url}${path}`, method, body)).toEqual(refusal);
          }
        }
      },
    );

    it('counts by the address that asked, whatever it says of itself', async () => {
      const missing = `${url}/assets/missing.js`;
      const statuses: number[] = [];
      for (let at = 0; at <= notFoundPerMinute; at += 1) {
        statuses.push(await ask(missing, '127.0.0.2', { 'x-forwarded-for': `203.0.113.${at}` }));
      }
      expect(statuses).toEqual([...Array.from({ length: notFoundPerMinute }, () => 404), 429]);
      expect(await ask(missing, '127.0.0.3')).toBe(404);
    });

    it('a server that was killed: the daemon comes back, and an open question is answered', async () => {
      const asked = await run(ann, 'write_file', { filePath: 'later.txt', content: 'x' });
      await server.end('SIGKILL');
      await server.restart();
      await until(async () => daemon.process.output().match(/^\s*connected /gm)?.length === 2);
      await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
      expect(await ended(ann, asked.requestId)).toMatchObject({ state: 'succeeded' });
    });

    it('a daemon that was killed is missed', async () => {
      await daemon.process.end('SIGKILL');
      await stateIs('grace');
    });

    it('LG-05 writes no key to its log', () => {
      const written = name === 'nginx' ? proxy.accessLog() : proxy.process.output();
      expect(written).not.toMatch(/gw_|sess_|a-fixed-key/);
    });
  });
});
/** The lines of the page without those that are about streams and WebSockets. */
const plain = (lines: string) => {
  const ours =
    /^ *proxy_(buffering|http_version|read_timeout) .*\n|^ *proxy_set_header (Upgrade|Connection) .*\n/gm;
  expect(lines.match(ours)).toHaveLength(5);
  return lines.replace(ours, '');
};

describeWith('nginx')('behind nginx with its defaults', () => {
  it('a stream is not buffered, because the server asks for it', async () => {
    const { processes, url, ann } = await setUp({ name: 'nginx', change: plain });
    const daemon = await connectDaemon(processes, { person: ann, url });
    writeFileSync(join(daemon.root, 'notes.txt'), 'far away');
    expect(textOf(await run(ann, 'read_file', { filePath: 'notes.txt' }))).toContain('far away');
    expect(daemon.process.output()).not.toContain('buffers the stream');
    expect(linkOf(daemon)).toBe('stream');
    await processes.stopAll();
  });

  it('buffers when configured to ignore the server, and the daemon says so', async () => {
    const deaf = (lines: string) =>
      plain(lines).replace('location / {', 'location / {\nproxy_ignore_headers X-Accel-Buffering;');
    const { processes, url, ann } = await setUp({ name: 'nginx', change: deaf });
    const { token } = await ann.api.gateway.createLink.mutate();
    const daemon = startDaemon(processes, { url, token });
    await daemon.process.says(/Your proxy buffers the stream[^]*docs\/behind-a-proxy\.md/);
    await processes.stopAll();
  });
});
