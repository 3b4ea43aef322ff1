import { systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createPanel } from '../../../test/panel.ts';
import {
  bearer,
  newTicket,
  newToken,
  openPerson,
  openRpc,
  openSocket,
  ticketProtocols,
} from '../../../test/rpc.ts';
import { send, signUpOwner, startServer, type TestServer } from '../../../test/server.ts';

const world = async (more: Parameters<typeof startServer>[0] = {}) => {
  const server = await startServer(more);
  const cookie = await signUpOwner(server);
  return { server, cookie, ...(await newToken(server, cookie)) };
};

/** What a page of this server gets: a socket with one frame. */
const refusalOf = async (server: TestServer, opening: Parameters<typeof openSocket>[1] = {}) => {
  const opened = await openSocket(server, {
    ...opening,
    headers: { origin: server.url, ...opening.headers },
  });
  if (opened.kind === 'refused') return opened;
  const closed = await opened.rpc.closed;
  return { frames: opened.rpc.frames, code: closed.code };
};

describe('a socket is opened by', () => {
  it('WS-03 a token in its header, and nothing else of a script', async () => {
    const { server, cookie, token } = await world();
    const rpc = await openRpc(server, token);
    expect((await rpc.call('system.info')).result).toMatchObject({ connections: 1 });
    const tries: [string, Parameters<typeof openSocket>[1], number, number][] = [
      ['no token', {}, 401, -4],
      ['a cookie alone', { headers: { cookie } }, 401, -4],
      ['an unknown token', { headers: bearer('dbt_x') }, 401, -5],
      ['another scheme', { headers: { authorization: `Basic ${token}` } }, 401, -5],
      ['a token in the address', { path: `/rpc?access_token=${token}` }, 401, -4],
      ['a token as a ticket', { protocols: ticketProtocols(token) }, 401, -5],
      [
        'two credentials',
        { protocols: ticketProtocols(await newTicket(server, cookie)), headers: bearer(token) },
        401,
        -5,
      ],
    ];
    for (const [name, opening, status, code] of tries) {
      const got = await openSocket(server, opening);
      expect([name, got]).toMatchObject([
        name,
        { kind: 'refused', status, json: { id: null, error: { code } } },
      ]);
    }
    expect(await server.send('/rpc')).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } });
    expect((await server.send('/health')).json).toEqual({ ok: true });
  });

  it('WS-01 no page of another site, also with a token', async () => {
    const { server, token } = await world();
    const headers = bearer(token);
    const foreigners: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example' },
    ];
    for (const foreign of foreigners)
      expect(await openSocket(server, { headers: { ...headers, ...foreign } })).toMatchObject({
        kind: 'refused',
        status: 403,
      });
    expect(await refusalOf(server)).toMatchObject({
      frames: [{ id: null, error: { code: -4 } }],
      code: 1008,
    });
  });

  it('WS-02 a ticket, once, within 30 s and while its session holds', async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    let ahead = 0;
    const { server, cookie } = await world({ clock });
    const protocols = ticketProtocols(await newTicket(server, cookie));
    const opened = await openSocket(server, { protocols, headers: { origin: server.url } });
    if (opened.kind === 'refused') throw new Error('refused');
    expect(opened.rpc.socket.protocol).toBe('drawbridge.v1');
    expect((await opened.rpc.call('system.capabilities')).result).toMatchObject({ scopes: 'all' });
    const used = { frames: [{ error: { code: -5 } }], code: 1008 };
    expect(await refusalOf(server, { protocols })).toMatchObject(used);

    const late = ticketProtocols(await newTicket(server, cookie));
    ahead = 31_000;
    expect(await refusalOf(server, { protocols: late })).toMatchObject(used);

    const orphan = ticketProtocols(await newTicket(server, cookie));
    await server.send('/api/auth/sign-out', { method: 'POST', headers: { cookie }, body: {} });
    expect(await opened.rpc.closed).toMatchObject({ code: 1008 });
    expect(await refusalOf(server, { protocols: orphan })).toMatchObject(used);
    expect(server.log.join('')).not.toMatch(/dbw_\w/);
    expect((await server.send('/rpc/ticket', { method: 'POST', headers: { cookie } })).status).toBe(401);
  });
});

describe('an open socket ends within a second', () => {
  it('WS-06 of the revocation of its token, and runs nothing after it', async () => {
    const { server, cookie, token, id } = await world();
    const rpc = await openRpc(server, token);
    await rpc.call('system.info');
    await createPanel(server, cookie).tokens.revoke.mutate({ id });
    rpc.send({ id: 'late', method: 'system.info' });
    expect(await rpc.closed).toMatchObject({ code: 1008 });
    expect(rpc.frames.at(-1)).toMatchObject({
      id: null,
      error: { code: -5, data: { code: 'UNAUTHORIZED' } },
    });
    expect(rpc.frames.some((frame) => frame.id === 'late')).toBe(false);
  });

  it('WS-06 of the end of its session', async () => {
    const { server, cookie } = await world();
    const rpc = await openPerson(server, cookie);
    await server.send('/api/auth/sign-out', { method: 'POST', headers: { cookie }, body: {} });
    expect(await rpc.closed).toMatchObject({ code: 1008 });
    expect(rpc.frames).toMatchObject([{ id: null, error: { code: -5 } }]);
  });
});

it('one token has 20 sockets', async () => {
  const { server, token } = await world();
  const all = await Promise.all(Array.from({ length: 20 }, () => openRpc(server, token)));
  const beyond = () => openSocket(server, { headers: bearer(token) });
  expect(await beyond()).toMatchObject({ kind: 'refused', status: 429, json: { error: { code: 10 } } });
  all[0]?.socket.close();
  await all[0]?.closed;
  await expect.poll(async () => (await beyond()).kind).toBe('open');
});

it('RPC_PORT opens the server at a second port, with the same guards', async () => {
  const { server, token } = await world({ environment: { RPC_PORT: '0' } });
  const second = { ...server, url: `http://127.0.0.1:${server.app.rpcPort()}` };
  expect(second.url).not.toBe(server.url);
  for (const path of ['/rpc', '/']) {
    const rpc = await openRpc(second, token, { path });
    expect((await rpc.call('system.info')).result).toHaveProperty('version');
  }
  expect(await openSocket(second)).toMatchObject({ kind: 'refused', status: 401 });
  const headers = { ...bearer(token), host: 'evil.example' };
  expect(await openSocket(second, { headers })).toMatchObject({ kind: 'refused', status: 403 });
  expect((await send(`${second.url}/health`)).json).toEqual({ ok: true });
  const open = await openRpc(second, token);
  await Promise.all([server.app.close(), open.closed]);
  expect(await open.closed).toMatchObject({ code: 1012 });
});
