import { connect } from 'node:net';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { owner, setupToken, signUpOwner, startServer, type TestServer } from '../test/server.ts';

const codeOf = ({ json }: { json: unknown }): unknown => {
  if (typeof json !== 'object' || json === null) return undefined;
  // Either envelope: the plain one of HTTP or tRPC's.
  const body = json as { code?: string; error?: { data: { code: string } } };
  return body.error?.data.code ?? body.code;
};

/** Whatever a cookie opens, in one request that a signed-in person may make. */
const cookieOpens = [
  ['a mutation', 'POST', '/trpc/gateway.createLink'],
  ['a query', 'GET', '/trpc/gateway.status'],
  ['the script form of a link', 'POST', '/api/v1/instance-ai/gateway/create-link'],
  ['its twin', 'POST', '/rest/instance-ai/gateway/create-link'],
  ['the script form of the status', 'GET', '/api/v1/instance-ai/gateway/status'],
  ['signing out', 'POST', '/api/auth/sign-out'],
] as const;

/** Asks all of them with one session's cookie; gives status and code of each answer. */
const askAll = async (server: TestServer, headers: Record<string, string>) => {
  const cookie = await signUpOwner(server);
  const answers: Record<string, unknown> = {};
  for (const [what, method, path] of cookieOpens) {
    const type: Record<string, string> = method === 'POST' ? { 'content-type': 'application/json' } : {};
    const got = await server.send(path, { method, headers: { cookie, ...type, ...headers } });
    answers[what] = [got.status, codeOf(got)];
  }
  return answers;
};
const all = (answer: unknown) => Object.fromEntries(cookieOpens.map(([what]) => [what, answer]));

describe('what a cookie opens', () => {
  it('passes without the headers of a browser', async () => {
    const server = await startServer();
    expect(await askAll(server, {})).toEqual(all([200, undefined]));
  });

  it('passes for our own page', async () => {
    const server = await startServer();
    const headers = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    expect(await askAll(server, headers)).toEqual(all([200, undefined]));
  });

  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site fetch', { 'sec-fetch-site': 'same-site' }],
    ['a rebound name', { host: 'evil.example' }],
    ['a rebound name with its own Origin', { host: 'evil.example:80', origin: 'http://evil.example:80' }],
  ])('is refused to %s', async (_, headers: Record<string, string>) => {
    const server = await startServer();
    expect(await askAll(server, headers)).toEqual(all([403, 'FOREIGN_ORIGIN']));
  });

  it('sends no header that lets another site read', async () => {
    const server = await startServer();
    const got = await server.send('/trpc/setup.status', { headers: { origin: 'https://evil.example' } });
    expect(Object.keys(got.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const options = await server.send('/trpc/gateway.createLink', { method: 'OPTIONS', headers: preflight });
    expect(options.status).toBe(404);
  });
});

describe('a body', () => {
  const json = JSON.stringify({ setupToken, ...owner });
  it.each([
    ['text/plain', json],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=x', '--x\r\n\r\n--x--'],
    ['application/jsonx', json],
    ['application/json-seq', json],
    ['text/json', json],
  ])('of type %s is refused', async (type, body) => {
    const server = await startServer();
    const paths = ['/trpc/setup.createOwner', '/api/auth/sign-in/email', '/api/v1/instance-ai/gateway/init'];
    const answers = await Promise.all(
      paths.map((path) => server.send(path, { method: 'POST', body, headers: { 'content-type': type } })),
    );
    expect(answers.map((got) => [got.status, codeOf(got)])).toEqual(
      paths.map(() => [415, 'UNSUPPORTED_MEDIA_TYPE']),
    );
  });

  it('that is empty may not name another type', async () => {
    const server = await startServer();
    const headers = { cookie: await signUpOwner(server), 'content-type': 'text/plain' };
    const paths = ['/trpc/gateway.createLink', '/rest/instance-ai/gateway/create-link', '/api/auth/sign-out'];
    const answers = await Promise.all(paths.map((path) => server.send(path, { method: 'POST', headers })));
    expect(answers.map((got) => [got.status, codeOf(got)])).toEqual(
      paths.map(() => [415, 'UNSUPPORTED_MEDIA_TYPE']),
    );
  });

  it('without a type is refused', async () => {
    const server = await startServer();
    const got = await server.send('/api/v1/instance-ai/gateway/init', { method: 'POST', body: '{}' });
    expect([got.status, codeOf(got)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  const init = '/api/v1/instance-ai/gateway/init';
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);
  it.each([
    ['nested 100,000 times', init, nested, 400, 'TOO_DEEP'],
    ['nested in a procedure', '/trpc/setup.createOwner', `{"name":${nested}}`, 400, 'TOO_DEEP'],
    ['with __proto__', init, '{"__proto__":{"a":1},"rootPath":"/","tools":[]}', 400, 'BAD_REQUEST'],
    ['with __proto__ in a procedure', '/trpc/setup.createOwner', '{"__proto__":{"a":1}}', 400, 'BAD_REQUEST'],
    ['cut off', init, '{"rootPath":', 400, 'BAD_REQUEST'],
    ['over 1 MiB for init', init, JSON.stringify({ rootPath: 'x'.repeat(1024 * 1024) }), 413, 'TOO_LARGE'],
    [
      'over 64 KiB for sign-in',
      '/api/auth/sign-in/email',
      JSON.stringify({ email: 'x'.repeat(64 * 1024) }),
      413,
      'TOO_LARGE',
    ],
    [
      'over 4 MiB for a procedure',
      '/trpc/setup.createOwner',
      JSON.stringify('x'.repeat(4 * 1024 * 1024)),
      413,
      'TOO_LARGE',
    ],
  ])('%s is refused, and the server stays up', async (_, path, body, status, code) => {
    const server = await startServer();
    const got = await server.send(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([got.status, codeOf(got)]).toEqual([status, code]);
    expect((await server.send('/health')).json).toEqual({ ok: true });
    expect('a' in {}).toBe(false);
  });
});

describe('an answer', () => {
  it('LG-11 carries the headers of a page that trusts no other site', async () => {
    const server = await startServer();
    const { headers } = await server.send('/health');
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none';script-src 'self';.*frame-ancestors 'none'$/,
      ),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).not.toMatch(
      /unsafe-eval|script-src[^;]*unsafe-inline|https?:/,
    );
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  it('asks for https where the public address has it', async () => {
    const server = await startServer({ environment: { PUBLIC_URL: 'https://bridge.example.org' } });
    const { headers } = await server.send('/health');
    expect(headers['strict-transport-security']).toBe('max-age=15552000');
    expect(headers['content-security-policy']).toContain('upgrade-insecure-requests');
  });

  it('says that the process is up, and that it can serve', async () => {
    const server = await startServer();
    const answers = await Promise.all(['/health', '/ready'].map((path) => server.send(path)));
    expect(answers.map(({ status, json }) => [status, json])).toEqual([
      [200, { ok: true }],
      [200, { ok: true }],
    ]);
  });

  it.each([
    ['/api/nothing', 404, { code: 'NOT_FOUND', message: 'Not found' }],
    ['/assets/../../package.json', 404, { code: 'NOT_FOUND', message: 'Not found' }],
    ['/%2e%2e/%2e%2e/package.json', 404, { code: 'NOT_FOUND', message: 'Not found' }],
    ['/.git/config', 404, { code: 'NOT_FOUND', message: 'Not found' }],
    ['/%ff', 400, { code: 'BAD_REQUEST', message: 'The request is not valid' }],
  ])('LG-12 to %s tells nothing of the inside', async (path, status, body) => {
    const server = await startServer();
    const got = await server.send(path);
    expect([got.status, got.json]).toEqual([status, body]);
  });

  it('LG-12 to a procedure that is not there, or fails, tells nothing of the inside', async () => {
    const server = await startServer();
    const got = await server.send('/trpc/no.such');
    expect(got.json).toEqual({
      error: {
        message: 'Not found',
        code: -32004,
        data: { code: 'NOT_FOUND', httpStatus: 404, path: 'no.such', fix: null },
      },
    });
    const input = await server.send('/trpc/setup.createOwner', {
      method: 'POST',
      body: { setupToken: 'hidden-word', password: 1 },
    });
    expect(input.text).not.toContain('hidden-word');
    expect(input.text).not.toMatch(/node_modules|stack|\.ts/);
  });

  it('is refused after too many requests for addresses that do not exist', async () => {
    const server = await startServer({ environment: { NOT_FOUND_PER_MINUTE: '3' } });
    const statuses: number[] = [];
    for (const method of ['GET', 'HEAD', 'POST', 'GET'])
      statuses.push((await server.send(`/api/x${statuses.length}`, { method })).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  it('to a link request carries the public address, whatever Host says', async () => {
    const server = await startServer({ environment: { PUBLIC_URL: 'https://bridge.example.org' } });
    const cookie = await signUpOwner(server);
    const headers = {
      cookie,
      'content-type': 'application/json',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
    };
    const got = await server.send('/api/v1/instance-ai/gateway/create-link', { method: 'POST', headers });
    expect(got.json).toMatchObject({
      command: expect.stringMatching(
        /^npx --yes https:\/\/bridge\.example\.org\/daemon\S*\.tgz https:\/\/bridge\.example\.org gw_/,
      ),
    });
  });
});

describe('a request that is no proper HTTP', () => {
  const raw = (server: TestServer, text: string) =>
    new Promise<string>((resolve) => {
      let answer = '';
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
      socket.on('error', () => {});
    });
  const head =
    'POST /api/v1/instance-ai/gateway/init HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n';

  it.each([
    [
      'two ways to say its length',
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400/,
    ],
    ['a folded header', `${head}X-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}`, /^HTTP\/1\.1 4\d\d/],
    ['a header of 20 kB', `${head}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    ['a header named __proto__', `${head}__proto__: x\r\nContent-Length: 2\r\n\r\n{}`, /^HTTP\/1\.1 4\d\d/],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400/],
  ])('with %s is refused, and the server stays up', async (_, text, expected) => {
    const server = await startServer();
    expect(await raw(server, text)).toMatch(expected);
    expect((await server.send('/health')).status).toBe(200);
  });
});

describe('the end', () => {
  it('does not wait for sockets that were opened in advance', async () => {
    // On a clock that stands still nothing gives up waiting.
    const server = await startServer({ clock: createFakeClock(systemClock.now()) });
    const socket = connect(server.app.port(), '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    await server.send('/health');
    await server.app.close();
    socket.destroy();
  });
});
