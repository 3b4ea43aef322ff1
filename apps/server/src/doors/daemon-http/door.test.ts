import { connect } from 'node:net';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectDaemon, initDaemon, openStream, requestOf } from '../../../test/daemon.ts';
import { createPanel } from '../../../test/panel.ts';
import { send, signUpOwner, startServer, type Got } from '../../../test/server.ts';

const { bare, wrapped } = daemonMounts;
const seen = ({ status, json }: Got) => [status, json];
const forbidden = { code: 'FORBIDDEN', message: 'Forbidden' };

const paired = async (environment: Record<string, string> = {}) => {
  const server = await startServer({ environment });
  const cookie = await signUpOwner(server);
  const panel = createPanel(server, cookie);
  const { token } = await panel.gateway.createLink.mutate();
  return { server, cookie, panel, token };
};

const announcement = { rootPath: '/home/person', tools: [{ name: 'read_file', inputSchema: {} }] };

describe('the envelopes', () => {
  it.each([
    ['bare', bare, (reply: unknown) => reply],
    ['wrapped', wrapped, (data: unknown) => ({ data })],
  ])('of the %s mount', async (_, mount, envelope) => {
    const { server, cookie, token } = await paired();
    const post = (path: string, headers: Record<string, string>, body?: unknown) =>
      server.send(`${mount}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, ...(body ? { body } : {}) });
    const link = await post('/create-link', { cookie });
    expect(seen(link)).toEqual([
      200,
      envelope({
        token,
        command: `npx --yes ${server.url}/daemon.tgz ${server.url} ${token}`,
        expiresAt: expect.any(String),
        ttlSeconds: expect.any(Number),
      }),
    ]);
    const status = { connected: false, connectedAt: null, directory: null, hostIdentifier: null, toolCategories: [] };
    expect(seen(await server.send(`${mount}/status`, { headers: { cookie } }))).toEqual([200, envelope(status)]);
    const init = await post('/init', { [gatewayKeyHeader]: token }, announcement);
    expect(seen(init)).toEqual([200, envelope({ ok: true, sessionKey: expect.stringMatching(/^sess_[\w-]{32}$/) })]);
    const key = JSON.stringify(init.json).match(/sess_[\w-]{32}/)?.[0] ?? '';
    expect(seen(await post('/init', { [gatewayKeyHeader]: key }, announcement))).toEqual([200, envelope({ ok: true })]);
    const stream = await openStream(`${server.url}${mount}/events`, { [gatewayKeyHeader]: key });
    expect([stream.status, stream.headers]).toMatchObject([
      200,
      {
        'content-type': expect.stringMatching(/^text\/event-stream/),
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    ]);
    expect(seen(await post('/disconnect', { [gatewayKeyHeader]: key }))).toEqual([200, envelope({ ok: true })]);
    expect(seen(await post('/init', { [gatewayKeyHeader]: key }, announcement))).toEqual([403, forbidden]);
  });
});

describe('a key', () => {
  const routes = [
    ['POST', '/init', announcement],
    ['GET', '/events', undefined],
    ['POST', '/response/abc', { error: 'x' }],
    ['POST', '/progress/abc', { message: 'x' }],
    ['POST', '/disconnect', {}],
  ] as const;

  it.each(routes)('that is missing, unknown or cannot be one gets the same answer at %s %s', async (method, path, body) => {
    const server = await startServer();
    const keys = ['', 'x', `gw_${'a'.repeat(32)}`, `sess_${'a'.repeat(32)}`, 'k'.repeat(4_000)];
    for (const mount of [bare, wrapped]) {
      for (const key of keys) {
        const headers: Record<string, string> = key === '' ? {} : { [gatewayKeyHeader]: key };
        const got = await server.send(`${mount}${path}`, { method, headers, ...(body ? { body } : {}) });
        expect(seen(got)).toEqual([403, forbidden]);
      }
    }
  });

  it('for pairing does nothing else', async () => {
    const { server, token } = await paired();
    for (const [method, path, body] of routes.slice(1)) {
      const got = await server.send(`${bare}${path}`, { method, headers: { [gatewayKeyHeader]: token }, ...(body ? { body } : {}) });
      expect(seen(got)).toEqual([403, forbidden]);
    }
    const reused = await server.send(`/trpc/gateway.status`, { headers: { [gatewayKeyHeader]: token } });
    expect(reused.status).toBe(401);
  });

  it('for pairing works once, however many try at once', async () => {
    const { server, token } = await paired();
    const tries = Array.from({ length: 20 }, () =>
      server.send(`${bare}/init`, { method: 'POST', headers: { [gatewayKeyHeader]: token }, body: announcement }),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter((got) => got.status === 200)).toHaveLength(1);
    expect(answers.filter((got) => got.status === 403).map((got) => got.json)).toEqual(Array(19).fill(forbidden));
  });

  it('opens the stream from the query on the bare mount alone', async () => {
    const { server, token } = await paired();
    const key = await initDaemon(server, token);
    const get = async (path: string) => {
      const stream = await openStream(`${server.url}${path}`, {});
      stream.close();
      return stream.status;
    };
    expect(await get(`${bare}/events?apiKey=${key}`)).toBe(200);
    expect(await get(`${wrapped}/events?apiKey=${key}`)).toBe(403);
    for (const name of ['api_key', 'token', 'apikey', 'key']) expect(await get(`${bare}/events?${name}=${key}`)).toBe(403);
    const posted = await server.send(`${bare}/disconnect?apiKey=${key}`, { method: 'POST', body: {} });
    expect(seen(posted)).toEqual([403, forbidden]);
    expect(server.log.join('')).not.toContain(key);
  });

  it('is not taken from the query when that is switched off', async () => {
    const { server, token } = await paired({ GATEWAY_ALLOW_QUERY_KEY: 'false' });
    const key = await initDaemon(server, token);
    expect(seen(await server.send(`${bare}/events?apiKey=${key}`))).toEqual([403, forbidden]);
  });

  it('that is given twice or joined is refused', async () => {
    const { server, token } = await paired();
    const key = await initDaemon(server, token);
    const twice = { code: 'BAD_REQUEST', message: 'Give the gateway key once' };
    const answers = [
      await server.send(`${bare}/events`, { headers: { [gatewayKeyHeader]: [key, key] } }),
      await server.send(`${bare}/events`, { headers: { [gatewayKeyHeader]: `${key},${key}` } }),
      await server.send(`${bare}/events?apiKey=${key}`, { headers: { [gatewayKeyHeader]: key } }),
      await server.send(`${bare}/events?apiKey=${key}&apiKey=x`),
      await server.send(`${bare}/disconnect`, { method: 'POST', headers: { [gatewayKeyHeader]: [key, 'x'] }, body: {} }),
    ];
    expect(answers.map(seen)).toEqual(answers.map(() => [400, twice]));
  });

  it('cannot be guessed for long', async () => {
    const { server, token } = await paired({ PAIRING_PER_MINUTE: '3' });
    const init = async (key: string) =>
      (await server.send(`${bare}/init`, { method: 'POST', headers: { [gatewayKeyHeader]: key, 'x-extra': key }, body: announcement })).status;
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1) statuses.push(await init(`gw_${String(at).repeat(32)}`));
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    expect(await init(token)).toBe(429);
  });

  it('that holds may announce itself as often as it likes', async () => {
    const { server, token } = await paired({ PAIRING_PER_MINUTE: '3' });
    const key = await initDaemon(server, token);
    for (let at = 0; at < 8; at += 1) {
      const got = await server.send(`${bare}/init`, { method: 'POST', headers: { [gatewayKeyHeader]: key }, body: announcement });
      expect(got.status).toBe(200);
    }
  });

  it('never stands in the log, whatever went wrong', async () => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const { sessionKey } = daemon;
    await server.send(`${bare}/events?apiKey=${sessionKey}&apiKey=${token}`);
    await server.send(`${bare}/${sessionKey}`, { method: 'POST', headers: { [gatewayKeyHeader]: sessionKey }, body: { a: token } });
    await server.send(`/trpc/gateway.status?input=${sessionKey}`, { headers: { cookie: `x=${sessionKey}`, authorization: sessionKey } });
    await daemon.respond(sessionKey, { result: sessionKey });
    await daemon.respond('a'.repeat(3_000), `"${sessionKey}"`);
    await panel.calls.run.mutate({ name: sessionKey, arguments: {} }).catch(() => {});
    await server.app.close();
    const log = server.log.join('');
    expect(log.length).toBeGreaterThan(0);
    for (const secret of [sessionKey, token]) expect(log).not.toContain(secret.split('_')[1]);
  });
});

describe('a browser', () => {
  it.each([
    ['with a page of another site', { origin: 'https://evil.example' }],
    ['with a page of ours', { origin: 'http://127.0.0.1' }],
    ['that follows a link', { 'sec-fetch-site': 'none' }],
  ])('%s cannot speak for a daemon', async (_, headers) => {
    const { server, token } = await paired();
    const got = await server.send(`${bare}/init`, {
      method: 'POST',
      headers: { ...headers, [gatewayKeyHeader]: token },
      body: announcement,
    });
    expect([got.status, got.json]).toMatchObject([403, { code: 'FOREIGN_ORIGIN' }]);
  });
});

describe('another method', () => {
  const routes = ['/init', '/events', '/response/abc', '/progress/abc', '/disconnect', '/create-link', '/status'];
  it.each([bare, wrapped])('is refused below %s', async (mount) => {
    const { server, token } = await paired();
    for (const path of routes) {
      const own = path === '/events' || path === '/status' ? 'GET' : 'POST';
      for (const method of ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'].filter((one) => one !== own)) {
        const got = await server.send(`${mount}${path}`, { method, headers: { [gatewayKeyHeader]: token } });
        expect([method, path, got.status, got.headers.allow]).toEqual([method, path, 405, own]);
      }
    }
  });
});

describe('the stream', () => {
  it('frames whatever a call holds as one line', async () => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n\nevent: x\ndata: {}', '\r', '\r\n', '\u2028\u2029', '\0', 'id: 9\n', ': ping\n\n', '\ud800', 'x'.repeat(100_000)),
    );
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        const run = panel.calls.run.mutate({ name: 'read_file', arguments: { text } });
        const { requestId, toolCall } = requestOf(await daemon.stream.next());
        expect(toolCall.arguments).toEqual(JSON.parse(JSON.stringify({ text })));
        await daemon.respond(requestId, { error: 'done' });
        await run;
      }),
      { numRuns: 40 },
    );
    for (const line of daemon.stream.text().split('\n')) expect(line).toMatch(/^(: (open|ping)|id: \d+|data: \{.*\}|)$/s);
  });

  it('begins with a comment and says every 15 s that it lives', async () => {
    const clock = createFakeClock(systemClock.now());
    const server = await startServer({ clock });
    const panel = createPanel(server, await signUpOwner(server));
    const { stream } = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    clock.advance(45_000);
    await expect.poll(() => stream.text()).toBe(': open\n\n: ping\n\n: ping\n\n: ping\n\n');
  });

  it('of a reader that reads nothing is closed, and the call comes back to it', async () => {
    const { server, token, panel } = await paired();
    const key = await initDaemon(server, token);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.write(`GET ${bare}/events HTTP/1.1\r\nHost: localhost\r\n${gatewayKeyHeader}: ${key}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    await expect.poll(async () => (await panel.gateway.status.query()).state).toBe('online');
    const text = 'x'.repeat(500_000);
    const runs: Promise<unknown>[] = [];
    // The kernel takes some megabytes before anything is left unread here.
    while ((await panel.gateway.status.query()).state === 'online' && runs.length < 60) {
      runs.push(panel.calls.run.mutate({ name: 'read_file', arguments: { text } }).catch(() => null));
      await panel.gateway.status.query();
    }
    expect((await panel.gateway.status.query()).state).toBe('grace');
    socket.resume();
    await closed;
    await panel.gateway.disconnect.mutate();
    await Promise.all(runs);
  });

  it('that is newer wins, and the end of the older one changes nothing', async () => {
    const { server, token, panel } = await paired();
    const first = await connectDaemon(server, token);
    const second = await openStream(`${server.url}${bare}/events`, { [gatewayKeyHeader]: first.sessionKey });
    await first.stream.ended;
    const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { requestId } = requestOf(await second.next());
    await first.respond(requestId, { result: { content: [] } });
    expect(await run).toMatchObject({ state: 'succeeded' });
  });
});

describe('a result', () => {
  it.each([
    ['of nobody', 'abc', 404],
    ['of an id that can be none', '..%2f..%2fx', 404],
    ['of an id that is too long', 'a'.repeat(65), 404],
  ])('for a call %s is not found', async (_, id, status) => {
    const { server, token } = await paired();
    const daemon = await connectDaemon(server, token);
    expect(seen(await daemon.respond(id, { error: 'x' }))).toEqual([status, { code: 'NOT_FOUND', message: 'Not found' }]);
  });

  it('is taken once, again as a repeat, and not when it differs', async () => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const result = { result: { content: [{ type: 'text', text: 'a' }] } };
    expect(seen(await daemon.respond(requestId, result))).toEqual([200, { ok: true }]);
    expect(seen(await daemon.respond(requestId, result))).toEqual([200, { ok: true, duplicate: true }]);
    const other = await daemon.respond(requestId, { error: 'b' });
    expect([other.status, other.json]).toMatchObject([409, { code: 'CONFLICTING_RESULT' }]);
    expect(await run).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    ['neither result nor error', {}],
    ['a block that MCP does not know', { result: { content: [{ type: 'html', html: '<b>' }] } }],
    ['content that is no list', { result: { content: 'text' } }],
  ])('with %s is refused, and its call goes on', async (_, body) => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    expect((await daemon.respond(requestId, body)).status).toBe(400);
    expect((await daemon.respond(requestId, { result: { content: [] } })).status).toBe(200);
    expect(await run).toMatchObject({ state: 'succeeded' });
  });

  it('beyond the limit is refused', async () => {
    const { server, token, panel } = await paired({ RESULT_MAX_BYTES: '10000' });
    const daemon = await connectDaemon(server, token);
    const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const large = await daemon.respond(requestId, { error: 'x'.repeat(10_000) });
    expect([large.status, large.json]).toEqual([413, { code: 'TOO_LARGE', message: 'Too large' }]);
    await daemon.respond(requestId, { error: 'small' });
    expect(await run).toMatchObject({ state: 'failed' });
  });
});

describe('a confirmation', () => {
  it.each([bare, wrapped])('is answered below %s by a session alone', async (mount) => {
    const { server, cookie, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const run = panel.calls.run.mutate({ name: 'write_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const question = { toolGroup: 'filesystemWrite', resource: '/a', description: 'Write a', options: ['allowOnce', 'denyOnce'] };
    const text = `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify(question)}`;
    await daemon.respond(requestId, { result: { content: [{ type: 'text', text }], isError: true } });
    await run;
    const confirm = (headers: Record<string, string>) =>
      send(`${server.url}${mount.replace('/gateway', '')}/confirm/${requestId}`, { method: 'POST', headers, body: { approved: false } });
    for (const headers of [{}, { [gatewayKeyHeader]: daemon.sessionKey }, { authorization: `Bearer ${daemon.sessionKey}` }]) {
      expect((await confirm(headers as Record<string, string>)).status).toBe(401);
    }
    expect((await confirm({ cookie })).status).toBe(200);
    expect((await confirm({ cookie })).status).toBe(409);
    expect(await panel.calls.get.query({ requestId })).toMatchObject({ state: 'denied' });
  });
});
