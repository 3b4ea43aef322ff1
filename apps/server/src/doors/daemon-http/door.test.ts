import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import type { TokenScope } from '@drawbridge/contracts/tokens';
import { describe, expect, it } from 'vitest';
import { announcement, forbidden, paired, seen } from '../../../test/paired.ts';
import { connectDaemon, openStream, requestOf } from '../../../test/daemon.ts';
import { newToken } from '../../../test/rpc.ts';
import { send, sessionHeaders } from '../../../test/server.ts';

const { bare, wrapped } = daemonMounts;

describe('the envelopes', () => {
  it.each([
    ['bare', bare, (reply: unknown) => reply],
    ['wrapped', wrapped, (data: unknown) => ({ data })],
  ])('of the %s mount', async (_, mount, envelope) => {
    const { server, cookie, token } = await paired();
    const post = (path: string, headers: Record<string, string>, body?: unknown) =>
      server.send(`${mount}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body ? { body } : {}),
      });
    const link = await post('/create-link', { cookie });
    expect(seen(link)).toEqual([
      200,
      envelope({
        token,
        command: expect.stringMatching(/^npx --yes \S+\/daemon\S*\.tgz \S+ gw_\S+$/),
        expiresAt: expect.any(String),
        ttlSeconds: expect.any(Number),
      }),
    ]);
    const status = {
      connected: false,
      connectedAt: null,
      directory: null,
      hostIdentifier: null,
      toolCategories: [],
    };
    expect(seen(await server.send(`${mount}/status`, { headers: { cookie } }))).toEqual([
      200,
      envelope(status),
    ]);
    const scoped = async (...scopes: TokenScope[]) => {
      const { token: secret } = await newToken(server, cookie, scopes);
      return { authorization: `Bearer ${secret}` };
    };
    const reader = await scoped('filesystemRead', 'chat');
    expect(seen(await server.send(`${mount}/status`, { headers: reader }))).toEqual([200, envelope(status)]);
    const refused = [
      await server.send(`${mount}/status`, { headers: await scoped('chat', 'agent') }),
      await server.send(`${mount}/status`, { headers: { authorization: `Bearer dbt_${'a'.repeat(32)}` } }),
      await post('/create-link', reader),
    ];
    expect(refused.map((got) => got.status)).toEqual([403, 401, 401]);
    const init = await post('/init', { [gatewayKeyHeader]: token }, announcement);
    expect(seen(init)).toEqual([
      200,
      envelope({ ok: true, sessionKey: expect.stringMatching(/^sess_[\w-]{32}$/) }),
    ]);
    const key = JSON.stringify(init.json).match(/sess_[\w-]{32}/)?.[0] ?? '';
    expect(seen(await post('/init', { [gatewayKeyHeader]: key }, announcement))).toEqual([
      200,
      envelope({ ok: true }),
    ]);
    const stream = await openStream(`${server.url}${mount}/events`, { [gatewayKeyHeader]: key });
    expect([stream.status, stream.headers]).toMatchObject([
      200,
      {
        'content-type': expect.stringMatching(/^text\/event-stream/),
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    ]);
    expect(seen(await post('/disconnect', { [gatewayKeyHeader]: key }))).toEqual([
      200,
      envelope({ ok: true }),
    ]);
    expect(seen(await post('/init', { [gatewayKeyHeader]: key }, announcement))).toEqual([403, forbidden]);
  });

  it.each([bare, wrapped])('%s: a machine that leaves is offline at once and stays paired', async (mount) => {
    const { server, cookie, token, panel } = await paired();
    const { sessionKey, stream } = await connectDaemon(server, token);
    const leave = (body: unknown) =>
      server.send(`${mount}/disconnect`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: sessionKey },
        body,
      });
    expect((await leave({ keepSession: 'yes' })).status).toBe(400);
    expect(await panel.gateway.status.query()).toMatchObject({ state: 'online' });
    expect((await leave({ keepSession: true })).status).toBe(200);
    expect(await panel.gateway.status.query()).toMatchObject({ state: 'offline' });
    await stream.ended;
    expect(stream.text()).not.toContain('gateway-disconnect');
    const headers = { [gatewayKeyHeader]: sessionKey };
    const init = () => server.send(`${mount}/init`, { method: 'POST', headers, body: announcement });
    expect((await init()).status).toBe(200);
    const status = await server.send(`${bare}/status`, { headers: { cookie } });
    expect(status.json).toMatchObject({ connected: true });
    expect((await leave({ keepSession: false })).status).toBe(200);
    expect(seen(await init())).toEqual([403, forbidden]);
  });
});

describe('a key that does not hold', () => {
  const ours = { ...announcement, daemon: { version: '0.1.0', protocol: 1, features: [] } };
  it('PK-01 returns the reason only to our daemon, which presents the whole key', async () => {
    const { server, panel, token } = await paired();
    const init = async (key: string, body: object) =>
      seen(await server.send(`${bare}/init`, { method: 'POST', headers: { [gatewayKeyHeader]: key }, body }));
    const { sessionKey } = await connectDaemon(server, token);
    const refusals: [string, string][] = [[token, 'PAIRING_TOKEN_USED']];
    const { token: replaced } = await panel.gateway.createLink.mutate();
    await panel.gateway.disconnect.mutate();
    refusals.push([sessionKey, 'PAIRING_ENDED'], [`gw_${'x'.repeat(32)}`, 'FORBIDDEN']);
    for (const [key, code] of refusals) {
      expect(await init(key, ours)).toMatchObject([403, { code }]);
      expect(await init(key, announcement)).toEqual([403, forbidden]);
    }
    expect(await init(replaced, ours)).toMatchObject([200, { ok: true }]);
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
  const routes = [
    '/init',
    '/events',
    '/response/abc',
    '/responses',
    '/progress/abc',
    '/disconnect',
    '/create-link',
    '/status',
  ];
  it.each([bare, wrapped])('is refused below %s', async (mount) => {
    const { server, token } = await paired();
    for (const path of routes) {
      const own = path === '/events' || path === '/status' ? 'GET' : 'POST';
      for (const method of ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'].filter(
        (one) => one !== own,
      )) {
        const got = await server.send(`${mount}${path}`, { method, headers: { [gatewayKeyHeader]: token } });
        expect([method, path, got.status, got.headers.allow]).toEqual([method, path, 405, own]);
      }
    }
  });
});

describe('a result', () => {
  it.each([
    ['of an unknown call', 'abc', 404],
    ['of an id that can be none', '..%2f..%2fx', 404],
    ['of an id that is too long', 'a'.repeat(65), 404],
  ])('for a call %s is not found', async (_, id, status) => {
    const { server, token } = await paired();
    const daemon = await connectDaemon(server, token);
    expect(seen(await daemon.respond(id, { error: 'x' }))).toEqual([
      status,
      { code: 'NOT_FOUND', message: 'Not found' },
    ]);
  });

  it('is accepted once, again as a duplicate, and refused if it differs', async () => {
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
  it.each([bare, wrapped])('CF-08 is answered below %s by a session alone', async (mount) => {
    const { server, cookie, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const run = panel.calls.run.mutate({ name: 'write_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const question = {
      toolGroup: 'filesystemWrite',
      resource: '/a',
      description: 'Write a',
      options: ['allowOnce', 'denyOnce'],
    };
    const text = `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify(question)}`;
    await daemon.respond(requestId, { result: { content: [{ type: 'text', text }], isError: true } });
    await run;
    const confirm = (headers: Record<string, string>) =>
      send(`${server.url}${mount.replace('/gateway', '')}/confirm/${requestId}`, {
        method: 'POST',
        headers,
        body: { approved: false },
      });
    for (const headers of [
      {},
      { [gatewayKeyHeader]: daemon.sessionKey },
      { authorization: `Bearer ${daemon.sessionKey}` },
    ]) {
      expect((await confirm(headers as Record<string, string>)).status).toBe(401);
    }
    expect((await confirm(sessionHeaders(cookie))).status).toBe(200);
    expect((await confirm(sessionHeaders(cookie))).status).toBe(409);
    expect(await panel.calls.get.query({ requestId })).toMatchObject({ state: 'denied' });
  });
});
