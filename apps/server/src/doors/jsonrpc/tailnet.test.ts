import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { createPanel } from '../../../test/panel.ts';
import { bearer, newTicket, newToken, openSocket, ticketProtocols, type Rpc } from '../../../test/rpc.ts';
import { owner, send, signUpOwner, startServer } from '../../../test/server.ts';
import { openTailscaled, ownNode } from '../../../test/tailscaled.ts';
import { invited } from '../../../test/tenants.ts';

const ann = { id: 'nAnn21CNTRL', login: 'Ann@github' };
/** Addresses of loopback stand for those of the tailnet. */
const at = {
  ann: '127.0.0.2',
  unlisted: '127.0.0.3',
  tagged: '127.0.0.4',
  thisMachine: '127.0.0.5',
  withoutAccount: '127.0.0.6',
  outside: '127.0.0.7',
};

type Opening = NonNullable<Parameters<typeof openSocket>[1]>;

const world = async ({ users = `ann@github=${owner.email},gone@github=gone@example.org` } = {}) => {
  const time = { ahead: 0 };
  const clock = { ...systemClock, now: () => systemClock.now() + time.ahead };
  const tailscaled = await openTailscaled({
    [at.ann]: ann,
    [at.unlisted]: { id: 'nBen31CNTRL', login: 'ben@github' },
    [at.tagged]: { id: 'nTag41CNTRL', login: 'ann@github', tags: ['tag:ci'] },
    [at.thisMachine]: { id: ownNode, login: 'ann@github' },
    [at.withoutAccount]: { id: 'nGone51CNTRL', login: 'gone@github' },
  });
  const server = await startServer({
    clock,
    environment: {
      TAILSCALE_PORT: '0',
      TAILSCALE_HOST: 'server.tail1234.ts.net',
      TAILSCALE_SOCKET: tailscaled.socketPath,
      ...(users && { TAILSCALE_USERS: users }),
    },
  });
  const cookie = await signUpOwner(server);
  const port = server.app.tailnetPort() ?? 0;
  const url = `http://127.0.0.1:${port}`;
  const connect = (opening: Opening = {}) =>
    openSocket({ ...server, url }, { localAddress: at.ann, ...opening });
  const open = async (opening: Opening = {}): Promise<Rpc> => {
    const opened = await connect(opening);
    if (opened.kind === 'refused') throw new Error(`refused with ${opened.status}`);
    return opened.rpc;
  };
  return { server, cookie, tailscaled, time, url, connect, open };
};

const refused = { kind: 'refused', status: 401, json: { id: null, error: { code: -5 } } };

it('WS-13 headers of Tailscale count for nothing at the main port', async () => {
  const { server, tailscaled } = await world();
  const claim = { 'tailscale-user-login': 'ann@github', 'x-forwarded-for': at.ann };
  for (const path of ['/rpc', '/'])
    expect(await openSocket(server, { path, headers: claim, localAddress: at.ann })).toMatchObject({
      ...refused,
      json: { error: { code: -4 } },
    });
  expect((await server.send('/api/health', { headers: claim })).status).toBe(401);
  expect(tailscaled.asked).toEqual([]);
});

it('a listed user gets the scopes of the setting, and no right of a person', async () => {
  const { server, tailscaled, open } = await world();
  const rpc = await open();
  const capabilities = (await rpc.call('system.capabilities')).result;
  expect(capabilities).toMatchObject({ scopes: ['agent', 'filesystemRead'] });
  expect(tailscaled.asked).toHaveLength(1);
  expect((await rpc.call('sessions.create', { sessionId: 'ws:mine' })).result).toMatchObject({
    sessionId: 'ws:mine',
  });
  for (const method of ['pairing.list', 'agent.confirm', 'config.get', 'config.patch', 'node.register'])
    expect([method, (await rpc.call(method, {})).error?.code]).toEqual([method, 15]);
  expect((await rpc.call('system.presence', { all: true })).error?.code).toBe(15);
  const byHeader = await open({ headers: { 'tailscale-user-login': 'ann@GitHub' } });
  expect((await byHeader.call('sessions.get', { sessionId: 'ws:mine' })).result).toMatchObject({
    id: 'ws:mine',
  });
  expect(server.log.join('')).not.toContain('unexpected internal error');
});

it('tailscaled is asked about the real address and port of the client', async () => {
  const { tailscaled, url } = await world();
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const headers = { ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64') };
  const asked = request(`${url}/rpc`, {
    localAddress: at.ann,
    headers: { ...headers, 'x-client-port': '1' },
  });
  asked.end();
  // What `upgrade` of a client's request is emitted with.
  const [answer, socket] = (await once(asked, 'upgrade')) as [IncomingMessage, Socket];
  onTestFinished(() => void socket.destroy());
  expect(answer.statusCode).toBe(101);
  expect(tailscaled.asked).toEqual([`${at.ann}:${socket.localPort}`]);
});

it('sees the sessions that were made with it, not those of the person', async () => {
  const { server, cookie, open } = await world();
  const { token } = await newToken(server, cookie);
  const other = await openSocket(server, { headers: bearer(token) });
  if (other.kind === 'refused') throw new Error('refused');
  await other.rpc.call('sessions.create', { sessionId: 'ws:tokens' });
  const rpc = await open();
  expect((await rpc.call('sessions.list')).result).toMatchObject({ total: 0 });
  expect((await rpc.call('sessions.get', { sessionId: 'ws:tokens' })).error?.code).toBe(1);
});

it('WS-13 no other client opens a socket', async () => {
  const { server, cookie, connect } = await world();
  const { token } = await newToken(server, cookie);
  const tries: [string, Opening][] = [
    ['a user who is not listed', { localAddress: at.unlisted }],
    ['a tagged node', { localAddress: at.tagged }],
    ['a program of this machine', { localAddress: at.thisMachine }],
    ['a user without an account', { localAddress: at.withoutAccount }],
    ['an address outside', { localAddress: at.outside }],
    ['who says to be another', { localAddress: at.ann, headers: { 'tailscale-user-login': 'ben@github' } }],
    [
      'who says to be listed',
      { localAddress: at.unlisted, headers: { 'tailscale-user-login': 'ann@github' } },
    ],
    ['a proxy', { headers: { 'x-forwarded-for': '100.64.0.2' } }],
    ['two proxies', { headers: { 'x-forwarded-for': ['100.64.0.2', '100.64.0.3'] as never } }],
    ['the Funnel', { headers: { 'tailscale-funnel-request': '?1' } }],
    ['a token', { headers: bearer(token) }],
    ['an unlisted address with a token', { localAddress: at.outside, headers: bearer(token) }],
    ['a ticket', { localAddress: at.outside, protocols: ticketProtocols(await newTicket(server, cookie)) }],
  ];
  for (const [name, opening] of tries) expect([name, await connect(opening)]).toMatchObject([name, refused]);
  const foreign: [string, Record<string, string>][] = [
    ['a page of the server', { origin: server.url }],
    ['a page', { origin: 'https://evil.example' }],
    ['a fetch of a page', { 'sec-fetch-site': 'same-origin' }],
    ['another name of the server', { host: 'evil.example' }],
  ];
  for (const [name, headers] of foreign)
    expect([name, await connect({ headers })]).toMatchObject([name, { kind: 'refused', status: 403 }]);
  expect(await connect({ headers: { host: 'Server.tail1234.ts.net:443' } })).toMatchObject({ kind: 'open' });
});

it('without users, and without tailscaled, no socket opens', async () => {
  const none = await world({ users: '' });
  expect(await none.connect()).toMatchObject(refused);
  const { tailscaled, connect } = await world();
  tailscaled.close();
  expect(await connect()).toMatchObject(refused);
});

it('the port has the socket and /health alone', async () => {
  const { url, cookie } = await world();
  const statusOf = async (path: string, method = 'GET') =>
    (await send(url + path, { method, headers: { cookie } })).status;
  expect(await statusOf('/health')).toBe(200);
  expect(await statusOf('/rpc')).toBe(426);
  for (const path of ['/', '/api/health', '/trpc/account.me', '/mcp', '/ready', '/rpc/ticket'])
    expect([path, await statusOf(path, path === '/rpc/ticket' ? 'POST' : 'GET')]).toEqual([path, 404]);
});

it('an open socket ends when the device leaves the tailnet, and when the account is disabled', async () => {
  const { server, cookie, tailscaled, time, open } = await world({ users: 'ann@github=ben@example.org' });
  const panel = createPanel(server, cookie);
  const ben = createPanel(server, await invited(server, panel));
  const first = await open();
  await first.call('system.info');
  delete tailscaled.nodes[at.ann];
  time.ahead = 61_000;
  expect(await first.closed).toMatchObject({ code: 1008 });
  expect(first.frames.at(-1)).toMatchObject({ id: null, error: { code: -5 } });

  tailscaled.nodes[at.ann] = ann;
  const second = await open();
  await second.call('system.info');
  await panel.people.disable.mutate({ id: (await ben.account.me.query())?.id ?? '' });
  expect(await second.closed).toMatchObject({ code: 1008 });
});
