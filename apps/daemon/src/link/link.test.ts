import type { ToolRequest, ToolResult } from '@drawbridge/contracts';
import { createFakeClock } from '@drawbridge/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  forbidden,
  json,
  page,
  pairingToken,
  redirectTo,
  sessionKey,
  startGatewayServer,
} from '../../test/gateway-server.ts';
import { createCalls, createHttp, createLink, createOutbox, createServerApi, openStream, type Dispatch } from './index.ts';
import type { LinkReport } from './link.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }] });
const echo: Dispatch = async ({ toolCall }) => text(JSON.stringify(toolCall.arguments));

const start = async (dispatch: Dispatch = echo) => {
  const server = await startGatewayServer();
  const clock = createFakeClock();
  const http = createHttp(server.url);
  const api = createServerApi(http);
  const reports: LinkReport[] = [];
  let current = '';
  const key = { get: () => current, set: (given: string) => void (current = given) };
  // The longest wait that jitter can give.
  const random = () => 0.999_999;
  const refusals: (string | null)[] = [];
  const outbox = createOutbox({
    clock,
    random,
    post: ({ requestId, body }) => api.respond(key.get(), requestId, body),
    settled: (_letter, refusal) => void refusals.push(refusal),
  });
  const calls = createCalls({
    clock,
    dispatch,
    outbox,
    postProgress: (requestId, body) => api.progress(key.get(), requestId, body),
    report: () => {},
  });
  const link = createLink({
    clock,
    random,
    api,
    key,
    calls,
    open: (streamKey, events) => openStream({ http, clock }, streamKey, events),
    describe: () => ({ rootPath: '/w', tools: [] }),
    report: (report) => void reports.push(report),
  });
  cleanUps.push(server.close, http.close, outbox.close, () => link.stop());
  const types = () => reports.map(({ type }) => type);
  const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 10_000, interval: 10 });
  const reported = (...expected: LinkReport['type'][]) => until(() => expect(types()).toEqual(expected));
  const connected = async () => {
    link.giveKey(pairingToken);
    await reported('connected');
  };
  const routes = () => server.seen.map(({ method, path, key: used }) => `${method} ${path} ${used?.slice(0, 4)}`);
  return { server, clock, link, reports, reported, connected, until, routes, refusals, outbox };
};

const request = (requestId: string, call: Record<string, unknown> = {}): { type: string; payload: ToolRequest } => ({
  type: 'filesystem-request',
  payload: { requestId, toolCall: { name: 'read_file', arguments: call } },
});

const told = (reason: string) => ({ type: 'gateway-disconnect', payload: { reason } });

describe('connecting', () => {
  it('swaps the pairing token for a session key and uses that from then on', async () => {
    const { connected, routes, server } = await start();
    await connected();
    expect(routes()).toEqual(['POST /init gw_t', 'GET /events sess']);
    expect(server.seen[1]?.key).toBe(sessionKey);
  });

  it('initialises again when the stream refuses the key', async () => {
    const { server, clock, link, reported, routes } = await start();
    server.answer('events', forbidden);
    link.giveKey(pairingToken);
    await reported('reconnecting');
    server.answer('events');
    clock.advance(1_000);
    await reported('reconnecting', 'connected');
    expect(routes()).toEqual(['POST /init gw_t', 'GET /events sess', 'POST /init sess', 'GET /events sess']);
  });

  it.each([
    ['403', forbidden],
    ['401', json(401, { code: 'UNAUTHORIZED', message: 'Not signed in' })],
    ['500', json(500, { code: 'INTERNAL', message: 'Something went wrong' })],
  ])('gives up after five times %s, and goes on with a new token', async (_name, answer) => {
    const { server, clock, link, reports, connected, reported, until } = await start();
    await connected();
    server.answer('init', answer);
    server.answer('events', answer);
    server.cutStream();
    await reported('connected', 'reconnecting');
    for (let round = 0; round < 5; round += 1) {
      clock.advance(30_000);
      await until(() => expect(reports.length).toBe(3 + round));
    }
    expect(reports.at(-1)?.type).toBe('unpaired');
    clock.advance(600_000);
    expect(clock.waiting()).toBe(0);
    server.answer('init', json(200, { ok: true, sessionKey }));
    server.answer('events');
    link.giveKey(pairingToken);
    await until(() => expect(reports.at(-1)?.type).toBe('connected'));
  });

  it.each([
    ['an HTML page with 403', page(403)],
    ['an HTML page with 200', page(200)],
    ['JSON where a stream should be', json(200, { ok: true })],
    ['502', json(502, {})],
    ['204', json(204, undefined)],
  ])('takes %s for a broken network: only the stream is opened again', async (_name, answer) => {
    const { server, clock, connected, reports, reported, routes, until } = await start();
    await connected();
    server.answer('events', answer);
    server.cutStream();
    await reported('connected', 'reconnecting');
    for (let round = 0; round < 7; round += 1) {
      clock.advance(30_000);
      await until(() => expect(reports.length).toBe(3 + round));
    }
    expect(new Set(reports.slice(1).map(({ type }) => type))).toEqual(new Set(['reconnecting']));
    expect(routes().filter((route) => route.startsWith('POST /init'))).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('never follows a redirect (%i) with the key', async (status) => {
    const elsewhere = await startGatewayServer();
    cleanUps.push(elsewhere.close);
    const { server, link, clock, connected, reports, reported, until } = await start();
    await connected();
    const away = redirectTo(status, `${elsewhere.url.href}steal`);
    server.answer('events', away);
    server.answer('response', away);
    server.send(request('r1'));
    await until(() => expect(server.results()).toHaveLength(1));
    server.cutStream();
    await reported('connected', 'reconnecting');
    clock.advance(1_000);
    await until(() => expect(server.seen.filter(({ path }) => path === '/events').length).toBe(2));
    await until(() => expect(reports.length).toBe(3));
    await link.stop();
    expect(elsewhere.seen).toEqual([]);
  });

  it('ends at once where the first answer is a redirect', async () => {
    const { server, link, reports, reported } = await start();
    server.answer('init', redirectTo(302, 'http://elsewhere.invalid/x?token=y'));
    link.giveKey(pairingToken);
    await reported('ended');
    expect(reports).toEqual([
      {
        type: 'ended',
        ending: {
          reason: 'failed',
          failure: {
            kind: 'redirect',
            sentence: 'the server redirects to http://elsewhere.invalid, and a key is never sent along',
          },
        },
      },
    ]);
  });
});

describe('the stream', () => {
  it('is dropped after 45 s of silence, and a comment counts as a sound', async () => {
    const { server, clock, connected, reported, reports, until } = await start();
    await connected();
    // The greeting comment re-arms the wait; give it time to be read.
    server.send(request('mark'));
    await until(() => expect(server.results()).toHaveLength(1));
    clock.advance(44_000);
    server.write(': ping\n\n');
    server.send(request('mark-2'));
    await until(() => expect(server.results()).toHaveLength(2));
    clock.advance(44_000);
    expect(reports).toHaveLength(1);
    clock.advance(1_000);
    await reported('connected', 'reconnecting');
    expect(reports[1]).toEqual({ type: 'reconnecting', inMs: 1_000, sentence: 'nothing was heard for 45 s' });
  });

  it('reads events cut at every byte, with CRLF and characters of several bytes', async () => {
    const { server, connected, until } = await start();
    await connected();
    const bytes = Buffer.from(`id: 7\r\ndata: ${JSON.stringify(request('r1', { path: 'ä€🌉 .txt' }))}\r\n\r\n`);
    for (const byte of bytes) {
      server.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => expect(server.results()).toEqual([{ result: text('{"path":"ä€🌉 .txt"}') }]));
  });

  it('is dropped when a line grows beyond 8 MiB', async () => {
    const { server, connected, reported, reports } = await start();
    await connected();
    const chunk = 'x'.repeat(1024 * 1024);
    for (let sent = 0; sent < 9; sent += 1) server.write(chunk);
    await reported('connected', 'reconnecting');
    expect(reports[1]).toMatchObject({ sentence: 'the server sent a line of more than 8 MiB' });
  });

  it('ignores what it does not know', async () => {
    const { server, connected, until } = await start();
    await connected();
    server.send({ type: 'self-destruct', payload: {} });
    server.send(told('because'));
    server.write('data: not json\n\n');
    server.send({ type: 'filesystem-request', payload: { requestId: '../../init', toolCall: { name: 'x', arguments: {} } } });
    server.send(request('r1', { a: 1 }));
    await until(() => expect(server.results()).toEqual([{ result: text('{"a":1}') }]));
    expect(server.seen.map(({ path }) => path)).toEqual(['/init', '/events', '/response/r1']);
  });

  it.each([
    ['user', 'user'],
    ['replaced', 'replaced'],
  ])('ends the session when told %s', async (reason, ending) => {
    const { server, clock, connected, reported, reports } = await start();
    await connected();
    server.send(told(reason));
    server.endStream();
    await reported('connected', 'ended');
    expect(reports[1]).toEqual({ type: 'ended', ending: { reason: ending } });
    expect(clock.waiting()).toBe(0);
  });

  it('comes back when told shutdown, with init', async () => {
    const { server, clock, connected, reported, routes } = await start();
    await connected();
    server.send(told('shutdown'));
    server.endStream();
    await reported('connected', 'reconnecting');
    clock.advance(1_000);
    await reported('connected', 'reconnecting', 'connected');
    expect(routes().slice(2)).toEqual(['POST /init sess', 'GET /events sess']);
  });
});

describe('calls', () => {
  it('posts a result until the server has it', async () => {
    const { server, clock, connected, until, outbox } = await start();
    await connected();
    server.answer('response', json(503, {}), page(200), (_request, response) => void response.destroy(), json(200, { ok: true }));
    server.send(request('r1', { a: 1 }));
    for (let round = 1; round <= 4; round += 1) {
      await until(() => expect(server.results()).toHaveLength(round));
      await until(() => expect(clock.waiting()).toBe(round < 4 ? 2 : 1));
      clock.advance(4_000);
    }
    await outbox.empty();
    expect(server.results()).toEqual(Array(4).fill({ result: text('{"a":1}') }));
  });

  it.each([
    ['404', 404],
    ['409', 409],
    ['413', 413],
  ])('stops posting when the server says %s', async (_name, status) => {
    const { server, connected, until, refusals, outbox } = await start();
    await connected();
    server.answer('response', json(status, { code: 'X', message: 'No' }));
    server.send(request('r1'));
    await until(() => expect(refusals).toEqual([`No (HTTP ${status})`]));
    await outbox.empty();
  });

  it('runs a repeated request once and answers it again', async () => {
    let runs = 0;
    const { server, connected, until } = await start(async () => text(`run ${(runs += 1)}`));
    await connected();
    server.send(request('r1'));
    await until(() => expect(server.results()).toHaveLength(1));
    server.send(request('r1'));
    await until(() => expect(server.results()).toHaveLength(2));
    expect(server.results()).toEqual(Array(2).fill({ result: text('run 1') }));
  });

  it('runs an asked request again only with a decision', async () => {
    const question = `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify({
      toolGroup: 'filesystemWrite',
      resource: '/w/a',
      description: 'write /w/a',
      options: ['allowOnce'],
    })}`;
    const asked: ToolResult = { content: [{ type: 'text', text: question }], isError: true };
    const runs: unknown[] = [];
    const { server, connected, until } = await start(async ({ toolCall }) => {
      runs.push(toolCall.arguments);
      return toolCall.arguments['_confirmation'] === undefined ? asked : text('written');
    });
    await connected();
    const decided = { _confirmation: 'allowOnce' };
    for (const [round, call] of [{}, {}, decided, decided].entries()) {
      server.send(request('r1', call));
      await until(() => expect(server.results()).toHaveLength(round + 1));
    }
    expect(runs).toEqual([{}, decided]);
    expect(server.results()).toEqual([asked, asked, text('written'), text('written')].map((result) => ({ result })));
  });

  it('cancels a running call, and never starts one that was cancelled before it came', async () => {
    const started: string[] = [];
    const { server, connected, until } = await start(({ requestId }, { signal }) => {
      started.push(requestId);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await connected();
    const cancel = (requestId: string) => ({ type: 'tool-call-cancel', payload: { requestId, reason: 'user' } });
    server.send(request('r1'));
    server.send(cancel('r1'));
    server.send(cancel('r2'));
    server.send(request('r2'));
    server.send(cancel('r2'));
    server.send(request('r3'));
    await until(() => expect(started).toContain('r3'));
    expect(started).toEqual(['r1', 'r3']);
    await until(() => expect(server.results()).toHaveLength(1));
    expect(server.results()).toEqual([
      {
        result: {
          content: [{ type: 'text', text: 'The call was cancelled' }],
          isError: true,
          _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
        },
      },
    ]);
  });

  it('keeps what went wrong inside the machine', async () => {
    const { server, connected, until } = await start(async () => {
      throw new Error('EACCES: /home/me/.ssh/id_rsa');
    });
    await connected();
    server.send(request('r1'));
    await until(() => expect(server.results()).toEqual([{ error: 'The tool failed on the machine' }]));
  });

  it('merges progress that comes fast', async () => {
    const { server, clock, connected, until } = await start(async (_request, { progress }) => {
      for (let line = 0; line < 100; line += 1) progress({ output: `${line}\n` });
      await new Promise<void>((resolve) => clock.after(1_000, resolve));
      return text('done');
    });
    await connected();
    server.send(request('r1'));
    const posted = () => server.seen.filter(({ path }) => path === '/progress/r1').map(({ body }) => body);
    await until(() => expect(posted()).toHaveLength(1));
    await until(() => expect(clock.waiting()).toBe(3));
    clock.advance(250);
    await until(() => expect(posted()).toHaveLength(2));
    const rest = Array.from({ length: 99 }, (_item, at) => `${at + 1}\n`).join('');
    expect(posted()).toEqual([{ output: '0\n' }, { output: rest }]);
  });
});
