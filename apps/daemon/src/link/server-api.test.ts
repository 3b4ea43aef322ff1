import { describe, expect, it } from 'vitest';
import { json, pairingToken, sessionKey } from '../../test/support/gateway-server.ts';
import { request, startLink, told } from '../../test/support/link-fixture.ts';

describe('a server of the specification alone', () => {
  it('LG-03 gets the key in the URL too, and the id of the last event where no init was needed', async () => {
    const { server, clock, connected, reported, until } = await startLink();
    await connected();
    server.send(request('r1'));
    // With it, a reconnect of the package would be immediate.
    server.write('retry: 1\n\n');
    // No header can have this one.
    server.write('id: \u0001\ndata: {}\n\n');
    await until(() => expect(server.results()).toHaveLength(1));
    server.endStream();
    await reported('connected', 'reconnecting');
    clock.advance(1_000);
    await reported('connected', 'reconnecting', 'connected');
    server.send(told('shutdown'));
    await reported('connected', 'reconnecting', 'connected', 'reconnecting');
    clock.advance(1_000);
    await until(() => expect(server.seen.filter(({ path }) => path === '/events')).toHaveLength(3));
    const asked = { key: sessionKey, apiKey: sessionKey };
    expect(
      server.seen.map(({ path, key, apiKey, lastEventId }) => ({ path, key, apiKey, lastEventId })),
    ).toEqual([
      { path: '/init', key: pairingToken },
      { path: '/events', ...asked },
      { path: '/response/r1', key: sessionKey },
      { path: '/events', ...asked, lastEventId: '1' },
      { path: '/init', key: sessionKey },
      { path: '/events', ...asked },
    ]);
  });

  it('is left with a disconnect, which ends the pairing', async () => {
    const { server, link, connected } = await startLink();
    await connected();
    expect(await link.stop()).toEqual({ endedPairing: true });
    expect(server.seen.at(-1)).toMatchObject({ path: '/disconnect', key: sessionKey, body: {} });
    const refusing = await startLink();
    await refusing.connected();
    refusing.server.answer('disconnect', json(502, {}));
    expect(await refusing.link.stop()).toEqual({ endedPairing: false });
  });

  it.each([{ epoch: 1 }, { features: [] }, { warnings: [] }])(
    'is not one that once said %j: it gets no key in a URL and no disconnect',
    async (announced) => {
      const { server, link, clock, connected, reported } = await startLink();
      server.answer('init', json(200, { ok: true, sessionKey, ...announced }), json(200, { ok: true }));
      await connected();
      server.send(told('shutdown'));
      await reported('connected', 'reconnecting');
      clock.advance(1_000);
      await reported('connected', 'reconnecting', 'connected');
      expect(await link.stop()).toEqual({ endedPairing: false });
      expect(server.seen.map(({ path, apiKey }) => [path, apiKey])).toEqual([
        ['/init', undefined],
        ['/events', undefined],
        ['/init', undefined],
        ['/events', undefined],
      ]);
    },
  );

  it('is not assumed before a first answer', async () => {
    const { server, link, until } = await startLink();
    server.answer('init', () => {});
    link.giveKey(sessionKey);
    await until(() => expect(server.seen).toHaveLength(1));
    expect(await link.stop()).toEqual({ endedPairing: false });
    expect(server.seen).toHaveLength(1);
  });
});
