import type { ToolScope } from '@drawbridge/contracts/groups';
import { expect, it } from 'vitest';
import { connectDaemon, requestOf } from './daemon.ts';
import { createPanel } from './panel.ts';
import { invited } from './tenants.ts';
import { openRpc } from './rpc.ts';
import { signUpOwner, startServer, type TestServer } from './server.ts';

const scopes: ToolScope[] = ['filesystemRead'];
const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** A server whose owner has paired `laptop`, `desk` and `nas`, the default. */
const open = async () => {
  const server = await startServer();
  const cookie = await signUpOwner(server);
  const panel = createPanel(server, cookie);
  const pair = async (host: string) => {
    const { token } = await panel.gateway.createLink.mutate();
    return connectDaemon(server, token, { hostIdentifier: `ada@${host}` });
  };
  const daemons = { laptop: await pair('laptop'), desk: await pair('desk'), nas: await pair('nas') };
  const machines = await panel.machines.list.query();
  const idOf = (name: string) => machines.find((machine) => machine.name === name)?.id ?? 'none';
  return { server, cookie, panel, daemons, idOf };
};

const clientOf = (server: TestServer, token: string) => {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
  return {
    get: async (path: string) => {
      const { status, text } = await server.send(`/api/v1${path}`, { headers });
      return { status, text };
    },
    call: (body: object, more: Record<string, string> = {}) =>
      server.send('/api/v1/calls', { method: 'POST', headers: { ...headers, ...more }, body }),
    mcp: async (path: string, body: object) => {
      const { status, text } = await server.send(path, { method: 'POST', headers, body });
      return { status, text };
    },
  };
};

it('US-05 a token that names machines sees and calls no other, by no door and no name', async () => {
  const { server, panel, daemons, idOf } = await open();
  const made = await panel.tokens.create.mutate({
    name: 'Two',
    scopes,
    machines: [idOf('laptop'), idOf('desk')],
  });
  expect(made.machines).toEqual([idOf('laptop'), idOf('desk')]);
  const { get, call, mcp } = clientOf(server, made.token);
  const { json } = await server.send('/api/v1/machines', {
    headers: { authorization: `Bearer ${made.token}` },
  });
  expect(json).toMatchObject({ machines: [{ name: 'laptop' }, { name: 'desk' }] });

  // Out of reach and unknown: the same answer.
  for (const name of ['nas', idOf('nas')]) {
    for (const path of ['/status', '/tools', '/events'])
      expect(await get(`${path}?machine=${name}`), path).toEqual(await get(`${path}?machine=unknown`));
    expect((await get(`/tools?machine=${name}`)).status).toBe(404);
    const [theirs, unknown] = await Promise.all(
      [name, 'unknown'].map((machine) => call({ name: 'read_file', machine })),
    );
    expect([theirs?.status, theirs?.text]).toEqual([404, unknown?.text]);
    expect(await mcp(`/mcp/${name}`, rpc('tools/list'))).toEqual(
      await mcp('/mcp/unknown', rpc('tools/list')),
    );
  }

  const rpcDoor = await openRpc(server, made.token);
  for (const method of ['system.nodes', 'system.presence'])
    expect(JSON.stringify(await rpcDoor.call(method, {})), method).not.toMatch(/\bnas\b/);

  // The default is out of reach, so a machine has to be named.
  const unnamed = await call({ name: 'read_file' });
  expect([unnamed.status, unnamed.text]).toEqual([503, expect.not.stringContaining('nas')]);
  const running = call({ name: 'read_file', machine: 'desk' });
  await daemons.desk.respond(requestOf(await daemons.desk.stream.next()).requestId, {
    result: { content: [] },
  });
  expect((await running).status).toBe(200);

  // The machines that an offline one names are those of the reach.
  await panel.machines.disconnect.mutate({ machineId: 'laptop' });
  const away = await call({ name: 'read_file', machine: 'laptop' });
  expect(away.text).toContain('connected: desk');
  expect(away.text).not.toMatch(/\bnas\b/);
});

it('a token names only machines of its user, keeps none that was removed, and does not chat', async () => {
  const { server, panel, idOf } = await open();
  const ben = createPanel(server, await invited(server, panel));
  const create = (client: typeof panel, machines: string[], more: object = {}) =>
    client.tokens.create.mutate({ name: 'One', scopes, machines, ...more });
  for (const machines of [[idOf('desk')], ['unknown']])
    await expect(create(ben, machines)).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } });
  for (const scope of ['chat', 'agent', 'node', 'operate'])
    await expect(create(panel, [idOf('desk')], { scopes: [scope] })).rejects.toThrow('tool groups only');
  const { token } = await create(panel, [idOf('desk')]);
  await panel.machines.disconnect.mutate({ machineId: 'desk' });
  await panel.machines.forget.mutate({ machineId: 'desk' });
  const { get, call } = clientOf(server, token);
  expect((await get('/machines')).text).toBe('{"machines":[]}');
  expect((await call({ name: 'read_file' })).text).not.toMatch(/\bnas\b/);
  const status = await clientOf(server, token).mcp('/mcp', rpc('tools/call', { name: 'machine_status' }));
  expect(status.text).not.toMatch(/\bnas\b/);
});

it('a pause reaches every door, and a token cannot end it', async () => {
  const { server, panel } = await open();
  const { token } = await panel.tokens.create.mutate({ name: 'All', scopes });
  const { call, mcp } = clientOf(server, token);
  await panel.machines.stopEverything.mutate();
  expect((await call({ name: 'read_file' })).json).toMatchObject({ code: 'MACHINE_PAUSED' });
  expect((await mcp('/mcp/desk', rpc('tools/call', { name: 'read_file' }))).text).toContain('is paused');
  const resume = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: { machineId: null } };
  expect((await server.send('/trpc/machines.resume', resume)).status).toBe(401);
  expect((await call({ name: 'read_file' })).status).toBe(403);
  // The key of a refused call can be used again.
  const key = { 'idempotency-key': 'once', prefer: 'respond-async' };
  expect((await call({ name: 'read_file' }, key)).status).toBe(403);
  await panel.machines.resume.mutate({ machineId: null });
  expect((await call({ name: 'read_file' }, key)).status).toBe(202);
  expect((await panel.machines.list.query()).map(({ pausedAt }) => pausedAt)).toEqual([null, null, null]);
});
