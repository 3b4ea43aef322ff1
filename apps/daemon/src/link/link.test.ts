import { describe, expect, it } from 'vitest';
import {
  forbidden,
  json,
  page,
  pairingToken,
  redirectTo,
  sessionKey,
  startGatewayServer,
} from '../../test/support/gateway-server.ts';
import { later, request, startLink, text, told } from '../../test/support/link-fixture.ts';

describe('connecting', () => {
  it('swaps the pairing token for a session key and uses that from then on', async () => {
    const { connected, routes, server } = await startLink();
    await connected();
    expect(routes()).toEqual(['POST /init gw_t', 'GET /events sess']);
    expect(server.seen[1]?.key).toBe(sessionKey);
  });

  it('initialises again when the stream refuses the key', async () => {
    const { server, clock, link, reported, routes } = await startLink();
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
    const { server, clock, link, reports, connected, reported, until } = await startLink();
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
    const { server, clock, connected, reports, reported, routes, until } = await startLink();
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
    later(elsewhere.close);
    const { server, link, clock, connected, reports, reported, until } = await startLink();
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
    const { server, link, reports, reported } = await startLink();
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
            sentence:
              'the server redirects to http://elsewhere.invalid, and a key is never sent to another address',
          },
        },
      },
    ]);
  });
});

describe('a server that counts inits', () => {
  const counting = async () => {
    const started = await startLink();
    started.server.answer('init', json(200, { ok: true, sessionKey, epoch: 7 }));
    await started.connected();
    return started;
  };

  it('gets the epoch of the last init with every later request', async () => {
    const { server, until } = await counting();
    server.send(request('r1'));
    await until(() => expect(server.results()).toHaveLength(1));
    expect(server.seen.map(({ path, epoch }) => [path, epoch])).toEqual([
      ['/init', undefined],
      ['/events', '7'],
      ['/response/r1', '7'],
    ]);
  });

  it('is expected to send a probe within 2 s; else the person is warned that the stream is buffered', async () => {
    const { server, clock, reported } = await counting();
    clock.advance(2_000);
    await reported('connected', 'held-back');
    server.cutStream();
    await reported('connected', 'held-back', 'reconnecting');
    clock.advance(1_000);
    await reported('connected', 'held-back', 'reconnecting', 'connected');
  });

  it('says nothing of a proxy where the server itself does not answer', async () => {
    const { server, clock, reports, until } = await counting();
    const asked = () => server.seen.some(({ path }) => path === '/health');
    server.answer('health', () => {});
    clock.advance(2_000);
    await until(() => expect(asked()).toBe(true));
    clock.advance(2_000);
    await until(() => expect(reports.map(({ type }) => type)).toEqual(['connected']));
  });

  it('sends the probe, which is answered, and nothing is said', async () => {
    const { server, clock, reports, until } = await counting();
    server.send({ type: 'probe', payload: { id: 1 } });
    await until(() => expect(server.seen.at(-1)).toMatchObject({ path: '/probe', body: { id: 1 } }));
    clock.advance(10_000);
    expect(reports.map(({ type }) => type)).toEqual(['connected']);
  });
});

it('a question about the rules is answered with a post, and reaches no tool', async () => {
  const { server, connected, until } = await startLink();
  await connected();
  server.send({ type: 'rules-request', payload: { requestId: 'q1', query: { type: 'list' } } });
  await until(() =>
    expect(server.seen.at(-1)).toMatchObject({
      path: '/rules/q1',
      body: { refused: 'failed', message: 'list' },
    }),
  );
  expect(server.results()).toEqual([]);
});

describe('the stream', () => {
  it('is dropped after 45 s of silence, and a comment counts as a sound', async () => {
    const { server, clock, connected, reported, reports, until } = await startLink();
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
    expect(reports[1]).toEqual({ type: 'reconnecting', inMs: 1_000, sentence: 'no data for 45 s' });
  });

  it('reads events cut at every byte, with CRLF and characters of several bytes', async () => {
    const { server, clock, connected, until } = await startLink();
    await connected();
    const bytes = Buffer.from(
      `id: 7\r\ndata: ${JSON.stringify(request('r1', { path: 'ä€🌉 .txt' }))}\r\n\r\n`,
    );
    for (const byte of bytes) {
      server.write(Uint8Array.of(byte));
      await clock.settle();
    }
    await until(() => expect(server.results()).toEqual([{ result: text('{"path":"ä€🌉 .txt"}') }]));
  });

  it.each([
    ['a line without an end', 'x'.repeat(1024 * 1024)],
    ['an event of many lines', `data: ${'x'.repeat(1024 * 1024)}\n`],
  ])('is dropped when %s goes beyond 8 MiB', async (_case, chunk) => {
    const { server, connected, reported, reports } = await startLink();
    await connected();
    for (let sent = 0; sent < 9; sent += 1) server.write(chunk);
    await reported('connected', 'reconnecting');
    expect(reports[1]).toMatchObject({ sentence: 'the server sent an event of more than 8 MiB' });
  });

  it('ignores what it does not know', async () => {
    const { server, connected, until } = await startLink();
    await connected();
    server.send({ type: 'self-destruct', payload: {} });
    server.send(told('because'));
    server.write('data: not json\n\n');
    server.send({
      type: 'filesystem-request',
      payload: { requestId: '../../init', toolCall: { name: 'x', arguments: {} } },
    });
    server.send(request('r1', { a: 1 }));
    await until(() => expect(server.results()).toEqual([{ result: text('{"a":1}') }]));
    expect(server.seen.map(({ path }) => path)).toEqual(['/init', '/events', '/response/r1']);
  });

  it.each([
    ['user', 'user'],
    ['replaced', 'replaced'],
  ])('ends the session when told %s', async (reason, ending) => {
    const { server, clock, connected, reported, reports } = await startLink();
    await connected();
    server.send(told(reason));
    server.endStream();
    await reported('connected', 'ended');
    expect(reports[1]).toEqual({ type: 'ended', ending: { reason: ending } });
    expect(clock.waiting()).toBe(0);
  });

  it('comes back when told shutdown, with init', async () => {
    const { server, clock, connected, reported, routes } = await startLink();
    await connected();
    server.send(told('shutdown'));
    server.endStream();
    await reported('connected', 'reconnecting');
    clock.advance(1_000);
    await reported('connected', 'reconnecting', 'connected');
    expect(routes().slice(2)).toEqual(['POST /init sess', 'GET /events sess']);
  });
});
