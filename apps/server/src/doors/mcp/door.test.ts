import { connect as connectSocket } from 'node:net';
import { text as streamText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { text } from '../../../test/gateway-fixture.ts';
import {
  bothTypes,
  connectAnswering,
  messageOf,
  modernRequest,
  olderRequest,
  openMcp,
} from '../../../test/mcp.ts';

const refusal = (code: number, message: unknown = expect.any(String)) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message },
});

describe('authentication', () => {
  it.each([
    ['MC-01 another site', { origin: 'https://evil.example' }],
    ['MC-01 a page without an origin', { origin: 'null' }],
    ['MC-01 a page that a browser says is of another site', { 'sec-fetch-site': 'cross-site' }],
    ['MC-02 another host', { host: 'evil.com' }],
    ['MC-02 a name that leads here', { host: '127.0.0.1.nip.io' }],
    ['MC-02 another port', { host: 'localhost:9999' }],
  ])('%s: refused before any work', async (_, headers) => {
    const mcp = await openMcp();
    const got = await mcp.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers, bearer: 'unknown' });
    expect([got.status, got.json]).toEqual([403, refusal(-32_003)]);
  });

  it('MC-02 the host is checked on a public bind too, and the public one passes', async () => {
    const mcp = await openMcp({ publicUrl: 'https://bridge.example.org' });
    const ask = async (host: string) => {
      const { body, headers } = olderRequest('ping');
      return (await mcp.post(body, { headers: { ...headers, host } })).status;
    };
    expect([await ask('bridge.example.org'), await ask('192.168.1.5:5820'), await ask('evil.com')]).toEqual([
      200, 403, 403,
    ]);
  });

  it.each([
    ['two hosts', (own: string) => [`Host: ${own}`, 'Host: evil.com']],
    ['no host', () => []],
  ])('MC-02 %s', async (_, hosts) => {
    const mcp = await openMcp();
    const { hostname, port, host } = new URL(mcp.url);
    const lines = ['POST /mcp HTTP/1.1', ...hosts(host), 'Authorization: Bearer ada', 'Content-Length: 0'];
    const socket = connectSocket(Number(port), hostname);
    socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
    expect((await streamText(socket)).split('\r\n')[0]).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it.each([
    ['no token', {}, false],
    ['an unknown one', { authorization: 'Bearer dbt_unknown' }, true],
    ['one in another scheme', { authorization: 'Basic YWRhOmFkYQ==' }, false],
    ['two in one header', { authorization: 'Bearer ada, Bearer bob' }, false],
  ])('MC-04 %s: 401, and where to get one', async (_, headers, wasGiven) => {
    const mcp = await openMcp();
    const got = await mcp.send({
      method: 'POST',
      headers: { ...bothTypes, ...headers },
      body: olderRequest('ping').body,
    });
    const error = wasGiven ? 'error="invalid_token", ' : '';
    expect([got.status, got.headers['www-authenticate'], got.json]).toEqual([
      401,
      `Bearer ${error}resource_metadata="${mcp.url}/.well-known/oauth-protected-resource/mcp"`,
      refusal(-32_001),
    ]);
  });

  it('MC-04 a token in the address is ignored', async () => {
    const mcp = await openMcp();
    for (const path of ['/mcp?access_token=ada', '/mcp?apiKey=ada', '/mcp?token=ada']) {
      const got = await mcp.send({
        path,
        method: 'POST',
        headers: bothTypes,
        body: olderRequest('ping').body,
      });
      expect(got.status).toBe(401);
    }
  });
});

describe('requests', () => {
  it.each([
    ['MC-13 a batch', [olderRequest('ping').body], 400, -32_600],
    ['MC-13 an empty batch', [], 400, -32_600],
    ['MC-13 no JSON', '{"jsonrpc":', 400, -32_700],
    ['MC-13 nothing', '', 400, -32_700],
    ['MC-13 a text', JSON.stringify('ping'), 400, -32_600],
    ['MC-13 another jsonrpc', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32_600],
    ['MC-13 parameters as a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }, 400, -32_600],
    [
      'MC-06 an id beyond what JSON can hold exactly',
      { jsonrpc: '2.0', id: 2 ** 60, method: 'ping' },
      400,
      -32_600,
    ],
    ['MC-13 an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_600],
    ['MC-13 a nesting of 100 levels', '['.repeat(100) + ']'.repeat(100), 400, -32_600],
  ])('%s', async (_, body, status, code) => {
    const mcp = await openMcp();
    const got = await mcp.post(body, { headers: { 'content-type': 'application/json' } });
    expect([got.status, got.json]).toMatchObject([status, { jsonrpc: '2.0', error: { code } }]);
  });

  it('MC-13 a response that a client sends is accepted and changes nothing', async () => {
    const mcp = await openMcp();
    const got = await mcp.post({ jsonrpc: '2.0', id: 1, result: { resourceDecision: 'alwaysAllow' } });
    expect([got.status, got.text]).toEqual([202, '']);
  });

  it.each([
    ['2025-11-25', olderRequest('completion/complete'), 200],
    ['2025-11-25', olderRequest('no/such'), 200],
    ['2026-07-28', modernRequest('completion/complete'), 404],
    ['2026-07-28', modernRequest('ping'), 404],
    ['2026-07-28', modernRequest('no/such'), 404],
  ])('MC-13 an unknown method of %s', async (_, { body, headers }, status) => {
    const mcp = await openMcp();
    const got = await mcp.post(body, { headers });
    expect([got.status, messageOf(got)]).toMatchObject([status, { id: 1, error: { code: -32_601 } }]);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('%s is refused with what is allowed', async (method) => {
    const mcp = await openMcp();
    const got = await mcp.send({ method, headers: { authorization: 'Bearer ada' } });
    expect([got.status, got.headers.allow, got.json]).toEqual([405, 'GET, POST', refusal(-32_601)]);
  });

  it('another type of body is refused', async () => {
    const mcp = await openMcp();
    const got = await mcp.post('ping', { headers: { 'content-type': 'text/plain' } });
    expect([got.status, got.json]).toEqual([415, refusal(-32_015)]);
  });

  it('a message over 4 MiB is refused', async () => {
    const mcp = await openMcp();
    const { body } = olderRequest('tools/call', { name: 'x', arguments: { a: 'x'.repeat(4 * 1024 * 1024) } });
    expect((await mcp.post(body)).status).toBe(413);
  });
});

describe('the headers of 2026-07-28', () => {
  const asked = { name: 'read_file', arguments: { filePath: 'a' } };
  const base64 = (value: string) => `=?base64?${Buffer.from(value).toString('base64')}?=`;
  const ask = async (change: Record<string, string | undefined>) => {
    const mcp = await openMcp();
    const machine = await connectAnswering(mcp, 'ada', { answer: () => text('read') });
    const { body, headers } = modernRequest('tools/call', asked);
    const kept = Object.entries({ ...headers, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const got = await mcp.post(body, { headers: Object.fromEntries(kept) });
    return { status: got.status, message: messageOf(got), ran: machine.requests.length };
  };

  it.each([
    ['as they are', {}],
    ['a name in Base64', { 'mcp-name': base64('read_file') }],
    ['blanks around', { 'mcp-name': ' read_file ' }],
    ['a session that means nothing here', { 'mcp-session-id': 'guessed' }],
  ])('MC-07 pass %s', async (_, change) => {
    expect(await ask(change)).toMatchObject({
      status: 200,
      message: { id: 1, result: { resultType: 'complete', content: [{ type: 'text', text: 'read' }] } },
      ran: 1,
    });
  });

  it.each([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'shell_execute' }],
    ['another name in Base64', { 'mcp-name': base64('shell_execute') }],
    ['invalid Base64', { 'mcp-name': '=?base64?%%%?=' }],
    ['a line break in Base64', { 'mcp-name': base64('read_file\r\nx: y') }],
  ])('MC-07 with %s nothing runs', async (_, change) => {
    expect(await ask(change)).toMatchObject({
      status: 400,
      message: { id: 1, error: { code: -32_020 } },
      ran: 0,
    });
  });

  it('MC-07 a revision that is not spoken here is named with those that are', async () => {
    const mcp = await openMcp();
    const { body, headers } = modernRequest('tools/list', {
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    });
    const got = await mcp.post(body, { headers: { ...headers, 'mcp-protocol-version': '2099-01-01' } });
    expect([got.status, got.json]).toMatchObject([
      400,
      { id: 1, error: { code: -32_022, data: { supported: ['2026-07-28'] } } },
    ]);
  });

  it('MC-08 GET and DELETE are not part of it, and no session is ever made', async () => {
    const mcp = await openMcp();
    const headers = {
      authorization: 'Bearer ada',
      accept: 'text/event-stream',
      'mcp-protocol-version': '2026-07-28',
    };
    for (const method of ['GET', 'DELETE']) expect((await mcp.send({ method, headers })).status).toBe(405);
    const request = modernRequest('server/discover');
    const got = await mcp.post(request.body, { headers: request.headers });
    expect([got.status, got.headers['mcp-session-id'], got.json]).toMatchObject([
      200,
      undefined,
      {
        id: 1,
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          ttlMs: 60_000,
          cacheScope: 'private',
        },
      },
    ]);
  });
});
