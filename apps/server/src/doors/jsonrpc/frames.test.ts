import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answerNext, online } from '../../../test/rest.ts';
import { newToken, openRpc, openSocket, bearer, type Rpc } from '../../../test/rpc.ts';
import type { TestServer } from '../../../test/server.ts';

const world = async () => {
  const { server, cookie, daemon } = await online();
  const { token } = await newToken(server, cookie);
  return { server, cookie, daemon, token, rpc: await openRpc(server, token) };
};

const isOpen = async (rpc: Rpc) => (await rpc.call('system.info')).result !== undefined;

/** What a frame without a usable id is answered with. */
const answerTo = async (rpc: Rpc, frame: unknown) => {
  const before = rpc.frames.length;
  rpc.send(frame);
  await rpc.until(() => rpc.frames.length > before);
  return rpc.frames[before];
};

const deep = `{"id":1,"method":"system.info","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
const info = { method: 'system.info' };

describe('WS-04 WS-07 a frame that is not a request', () => {
  it('gets an error, and the socket stays open', async () => {
    const { rpc } = await world();
    const table: [string, unknown, number, unknown][] = [
      ['no JSON', '{"id":1,', -1, null],
      ['a number', '17', -2, null],
      ['too deep', deep, -2, null],
      ['a prototype', '{"id":1,"method":"system.info","params":{"__proto__":{"a":1}}}', -2, null],
      ['no method', { id: 'a' }, -2, 'a'],
      ['params as a list', { id: 'b', ...info, params: [] }, -2, 'b'],
      ['a long name', { id: 'c', method: 'x'.repeat(10_000) }, -2, 'c'],
      ['an unknown name', { id: 'd', method: '__proto__' }, -3, 'd'],
      ['another version', { id: 'e', ...info, jsonrpc: '1.0' }, -32_600, 'e'],
      ['no id', info, -2, null],
      ['null as id', { id: null, ...info }, -2, null],
      ['a fraction as id', { id: 1.5, ...info }, -2, null],
      ['an id beyond 2^53', '{"id":9007199254740993,"method":"system.info"}', -2, null],
      ['an object as id', { id: {}, ...info }, -2, null],
      ['a long id', { id: 'i'.repeat(129), ...info }, -2, null],
      ['wrong parameters', { id: 'f', method: 'tools.execute', params: { tool: 1 } }, -2, 'f'],
    ];
    for (const [name, frame, code, id] of table)
      expect([name, await answerTo(rpc, frame)]).toMatchObject([name, { id, error: { code } }]);
    rpc.send({ id: 7, result: {} });
    expect(await isOpen(rpc)).toBe(true);
    expect(rpc.frames.some((frame) => frame.id === 7)).toBe(false);
  });

  it('WS-10 with an id in flight leaves the first its one answer', async () => {
    const { rpc, daemon } = await world();
    rpc.send({ id: 'x', method: 'tools.execute', params: { tool: 'read_file' } });
    await rpc.until(({ event }) => event === 'tool_start');
    expect(await answerTo(rpc, { id: 'x', ...info })).toMatchObject({
      id: null,
      error: { code: -2, data: { id: 'x' } },
    });
    await answerNext(daemon);
    expect((await rpc.answerOf('x')).result).toMatchObject({ success: true });
  });

  it('closes the socket where it is no text of this protocol', async () => {
    const { server, token } = await world();
    const cases: [string, (rpc: Rpc) => void, number][] = [
      ['binary', ({ socket }) => socket.send(Buffer.from('{}')), 1003],
      ['too large', ({ socket }) => socket.send('x'.repeat(17 * 1024 * 1024)), 1009],
      [
        'invalid UTF-8',
        // As text: the option is not in the types.
        ({ socket }) => socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false }),
        1007,
      ],
      [
        'many fragments',
        ({ socket }) => {
          for (let at = 0; at < 300; at += 1) socket.send(' ', { fin: at === 299 });
        },
        1008,
      ],
    ];
    for (const [name, send, code] of cases) {
      const rpc = await openRpc(server, token);
      send(rpc);
      expect([name, (await rpc.closed).code]).toEqual([name, code]);
    }
  });
});

describe('both dialects', () => {
  it('have their own numbers, and a batch has one answer', async () => {
    const { rpc, daemon } = await world();
    const strict = { jsonrpc: '2.0' };
    expect(await answerTo(rpc, { ...strict, id: 1, ...info })).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    });
    const codes: [object, number, number][] = [
      [{ method: 'no.such' }, -32_601, -3],
      [{ ...info, params: [] }, -32_602, -2],
      [{ method: '' }, -32_600, -2],
      [{ method: 'tools.execute', params: { tool: 'shell_execute' } }, -32_601, 2],
      [{ method: 'agent.confirm', params: { confirmId: 'x' } }, -32_003, 15],
      [{ method: 'sessions.get', params: { sessionId: 'ws:none' } }, -32_004, 1],
    ];
    for (const [frame, code, seed] of codes) {
      expect(await answerTo(rpc, { ...strict, id: 'n', ...frame })).toMatchObject({
        jsonrpc: '2.0',
        id: 'n',
        error: { code, data: { seed } },
      });
      expect(await answerTo(rpc, { id: 'n', ...frame })).toMatchObject({ id: 'n', error: { code: seed } });
    }
    const run = { method: 'tools.execute', params: { tool: 'read_file' } };
    rpc.send([
      { ...strict, id: 'b', ...info },
      { ...strict, ...info },
      { id: 'c', ...info },
      { ...strict, id: 'd', ...run },
    ]);
    await rpc.until(
      ({ method, params }) => method === 'event' && (params as { event: string }).event === 'tool_start',
    );
    await answerNext(daemon);
    const isBatch = (frame: unknown) => Array.isArray(frame);
    const batch: unknown = await rpc.until(isBatch);
    expect(batch).toMatchObject([
      { jsonrpc: '2.0', id: 'b', result: {} },
      { id: 'c', result: {} },
      { jsonrpc: '2.0', id: 'd', result: { success: true } },
    ]);
    expect((batch as object[])[1]).not.toHaveProperty('jsonrpc');
    for (const frame of [[], Array.from({ length: 21 }, (_, id) => ({ id, ...info }))])
      expect(await answerTo(rpc, frame)).toMatchObject({ id: null, error: { code: -32_600 } });
    rpc.send({ ...strict, method: 'agent.confirm', params: {} });
    expect(await isOpen(rpc)).toBe(true);
  });
});

/** The bytes that a server answers a text with, until it closes or the part is there. */
const speak = (server: TestServer, text: string, part: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString();
      if (!got.includes(part)) return;
      socket.destroy();
      resolve(got);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(got));
  });

describe('a request with an Upgrade header at another door', () => {
  it('is answered as without it, with its body, also when it is pipelined', async () => {
    const { server, token } = await world();
    const { host } = new URL(server.url);
    const head = (line: string, more: string[] = []) =>
      [`${line} HTTP/1.1`, `host: ${host}`, ...more, '', ''].join('\r\n');
    const h2c = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQ'];
    const body = JSON.stringify({ name: 'no_such_tool', arguments: {} });
    const post = head('POST /api/v1/calls', [
      ...h2c,
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ]);
    expect(await speak(server, post + body, 'UNKNOWN_TOOL')).toMatch(/^HTTP\/1.1 404/);
    const websocket = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
    for (const [path, part] of [
      ['/health', '{"ok":true}'],
      ['/trpc/account.me', 'result'],
    ] as const)
      expect(await speak(server, head(`GET ${path}`, [...websocket, key]), part)).toMatch(/^HTTP\/1.1 200/);
    const two = head('GET /health', h2c) + head('GET /ready', ['connection: close']);
    const answers = await speak(server, two, 'never');
    expect(answers.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  });
});

it('a request beyond the limit of a minute is refused, and the hundredth refusal closes', async () => {
  const { server, cookie } = await online({ TOKEN_PER_MINUTE: '5' });
  const { token } = await newToken(server, cookie);
  const rpc = await openRpc(server, token);
  for (let at = 0; at < 5; at += 1) expect(await isOpen(rpc)).toBe(true);
  expect((await rpc.call('system.info')).error).toMatchObject({
    code: 10,
    data: { retryAfterMs: expect.any(Number), retryable: true },
  });
  for (let at = 0; at < 110; at += 1) rpc.send({ id: `r${at}`, ...info });
  expect((await rpc.closed).code).toBe(1008);
  expect((await openSocket(server, { headers: bearer(token) })).kind).toBe('open');
});

it('what is no request counts as one', async () => {
  const { server, cookie } = await online({ TOKEN_PER_MINUTE: '5' });
  const { token } = await newToken(server, cookie);
  const rpc = await openRpc(server, token);
  for (const frame of ['{', '[]', { id: 'a' }, { id: 'a', result: 1 }, [{ error: 1 }]]) rpc.send(frame);
  expect((await rpc.call('system.info')).error).toMatchObject({ code: 10 });
  for (let at = 0; at < 110; at += 1) rpc.send('{');
  expect((await rpc.closed).code).toBe(1008);
});
