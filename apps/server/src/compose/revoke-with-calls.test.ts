import { request } from 'node:http';
import type { Call } from '@drawbridge/contracts/calls';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { describe, expect, it } from 'vitest';
import { requestOf, type TestDaemon } from '../../test/daemon.ts';
import { newRestClient, online } from '../../test/rest.ts';
import type { TestServer } from '../../test/server.ts';
import { revokeWithCalls } from './revoke-with-calls.ts';

const question = {
  toolGroup: 'filesystemWrite' as const,
  resource: '/home/person/project/note.txt',
  description: 'Write note.txt',
  options: ['allowOnce' as const, 'denyOnce' as const],
};

/** A token that may write, with the panel of its person. */
const world = async () => {
  const { server, cookie, panel, daemon } = await online();
  const script = await newRestClient(server, cookie, { name: 'writer', scopes: ['filesystemWrite'] });
  const token = (await panel.tokens.list.query()).find(({ name }) => name === 'writer');
  const id = token?.id ?? '';
  const revoke = () => panel.tokens.revoke.mutate({ id });
  const begin = async () => {
    const got = await script.run('write_file', { path: 'a' }, { prefer: 'respond-async' });
    return (got.json as Call).requestId;
  };
  const stateOf = async (requestId: string) => (await panel.calls.get.query({ requestId })).state;
  return { server, cookie, panel, daemon, script, id, revoke, begin, stateOf };
};

const ask = async (daemon: TestDaemon) => {
  const { requestId } = requestOf(await daemon.stream.next());
  await daemon.respond(requestId, {
    result: { isError: true, content: [{ type: 'text', text: confirmationText.encode(question) }] },
  });
};

/** A request whose body comes later. */
const openRequest = (server: TestServer, token: string, path: string) => {
  const body = JSON.stringify({ name: 'write_file', arguments: { path: 'late' } });
  const sent = request(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });
  const over = new Promise<string>((resolve) => {
    sent.once('error', () => resolve('cut'));
    sent.once('response', ({ statusCode }) => resolve(String(statusCode)));
  });
  sent.write(body.slice(0, 1));
  return { finish: () => sent.end(body.slice(1)), over };
};

describe('MC-04 MC-14 with a token that is revoked', () => {
  it('end the calls without a waiting request, and their questions', async () => {
    const { panel, daemon, revoke, begin, stateOf } = await world();
    const asked = await begin();
    await ask(daemon);
    await expect.poll(() => panel.confirmations.list.query()).toHaveLength(1);
    const running = await begin();
    await revoke();
    expect([await stateOf(asked), await stateOf(running)]).toEqual(['cancelled', 'cancelled']);
    expect(await panel.confirmations.list.query()).toEqual([]);
  });

  it('go on those of the person and of other tokens', async () => {
    const { server, cookie, panel, daemon, revoke, begin, stateOf } = await world();
    const other = await newRestClient(server, cookie, { name: 'other', scopes: ['filesystemWrite'] });
    const own = await begin();
    const sent = { method: 'POST', body: { name: 'write_file', arguments: {} } };
    const { json } = await other.send('/calls', { ...sent, headers: { prefer: 'respond-async' } });
    const persons = panel.calls.run.mutate(sent.body);
    const ids: string[] = [];
    while (ids.length < 3) ids.push(requestOf(await daemon.stream.next()).requestId);
    await revoke();
    expect(await stateOf(own)).toBe('cancelled');
    expect(await stateOf((json as Call).requestId)).toBe('delivered');
    await daemon.respond(ids[2] ?? '', { result: { content: [] } });
    expect((await persons).state).toBe('succeeded');
  });

  it.each(['/api/v1/calls', '/mcp'])('a body that comes afterwards is not read: %s', async (path) => {
    const { server, panel, script, revoke } = await world();
    const used = async () =>
      (await panel.tokens.list.query()).some(
        ({ name, lastUsedAt }) => name === 'writer' && lastUsedAt !== null,
      );
    const { finish, over } = openRequest(server, script.token, path);
    await expect.poll(used).toBe(true);
    await revoke();
    finish();
    expect(await over).toBe('cut');
    expect((await panel.calls.list.query({})).calls).toEqual([]);
  });
});

describe('MC-21 with a token that may do less than before', () => {
  const less = { name: 'writer', scopes: ['filesystemRead' as const] };

  it('end its calls and questions, and the next one is refused', async () => {
    const { panel, daemon, id, script, begin, stateOf } = await world();
    const asked = await begin();
    await ask(daemon);
    await expect.poll(() => panel.confirmations.list.query()).toHaveLength(1);
    await panel.tokens.update.mutate({ id, ...less });
    expect([await stateOf(asked), await panel.confirmations.list.query()]).toEqual(['cancelled', []]);
    expect((await script.run('write_file', { path: 'a' })).status).toBe(404);
  });

  it('a body that comes afterwards is not read', async () => {
    const { server, panel, id, script } = await world();
    const used = async () => (await panel.tokens.list.query()).some((one) => one.id === id && one.lastUsedAt);
    const { finish, over } = openRequest(server, script.token, '/api/v1/calls');
    await expect.poll(used).toBe(true);
    await panel.tokens.update.mutate({ id, ...less });
    finish();
    expect(await over).toBe('cut');
    expect((await panel.calls.list.query({})).calls).toEqual([]);
  });

  it('that is one for named machines from now on: also what was open for all of them', async () => {
    const { panel, id, begin, stateOf } = await world();
    const [machine] = await panel.machines.list.query();
    const machines = [machine?.id ?? ''];
    const change = { id, name: 'writer', scopes: ['filesystemWrite' as const] };
    const first = await begin();
    expect(await panel.tokens.update.mutate({ ...change, machines })).toMatchObject({ machines });
    const second = await begin();
    await panel.tokens.update.mutate({ ...change, machines });
    expect([await stateOf(first), await stateOf(second)]).toEqual(['cancelled', 'delivered']);
    await panel.tokens.update.mutate(change);
    expect(await stateOf(second)).toBe('delivered');
  });

  it('nothing ends where it may do more, or has another name', async () => {
    const { panel, daemon, id, begin, stateOf } = await world();
    const asked = await begin();
    await ask(daemon);
    await expect.poll(() => panel.confirmations.list.query()).toHaveLength(1);
    const more = { name: 'other', scopes: ['filesystemWrite' as const, 'shell' as const] };
    expect(await panel.tokens.update.mutate({ id, ...more })).toMatchObject({ id, name: 'other' });
    expect(await stateOf(asked)).toBe('awaiting-confirmation');
  });
});

it('MC-14 a client that is revoked takes its calls with it, and one that is not there takes none', async () => {
  const done: unknown[] = [];
  const note = (what: string) => async (userId: string, given: unknown) =>
    void done.push([what, userId, given]);
  const missing = async () => {
    throw new Error('not there');
  };
  const kept = async () => {
    throw new Error('not asked for');
  };
  const { clients, tokens } = revokeWithCalls({
    gateway: { calls: { cancelOf: note('calls') } },
    tokens: { create: kept, list: kept, update: kept, revoke: missing, revokeAll: kept },
    clients: {
      request: kept,
      list: kept,
      revoke: note('client'),
      revokeAll: kept,
      forgetUnconnected: kept,
      setRedirects: kept,
      setMachines: kept,
    },
  });
  await clients.revoke('ada', 'editor');
  await expect(tokens.revoke('ada', 'none')).rejects.toThrow('not there');
  expect(done).toEqual([
    ['client', 'ada', 'editor'],
    ['calls', 'ada', { kind: 'client', id: 'editor' }],
  ]);
});
