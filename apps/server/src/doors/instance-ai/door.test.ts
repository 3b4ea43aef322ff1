import { chatBodyLimit } from '@drawbridge/contracts/agent/threads';
import { describe, expect, it } from 'vitest';
import { withAgent } from '../../../test/agent.ts';
import { collectTopic } from '../../../test/collect.ts';
import { createTenants } from '../../../test/tenants.ts';
import { paired, seen } from '../../../test/paired.ts';
import { sessionHeaders } from '../../../test/server.ts';
import { readStream } from '../../../test/thread-stream.ts';

const bare = '/api/v1/instance-ai';
const wrapped = '/rest/instance-ai';
type Script = Parameters<typeof withAgent>[0];

/** The owner's requests at the bare mount, and those of a token. */
const world = async (script: Script = () => ({ text: 'Hello.' }), environment = {}) => {
  const agentWorld = await withAgent(script, environment);
  const { server, cookie, panel } = agentWorld;
  const request = (method: string, path: string, body?: unknown) =>
    server.send(bare + path, { method, headers: { cookie }, body });
  const tokenOf = async (...scopes: Parameters<typeof panel.tokens.create.mutate>[0]['scopes'] & object) => {
    const { token } = await panel.tokens.create.mutate({ name: 'script', scopes });
    return { authorization: `Bearer ${token}` };
  };
  return { ...agentWorld, request, tokenOf };
};

const isFinish = ({ data }: { data: Record<string, unknown> }) => data['type'] === 'run-finish';
const isSync = ({ event }: { event: string | undefined }) => event === 'run-sync';

describe('a message over HTTP', () => {
  it('makes the thread, runs, and can be followed from any event', async () => {
    const { server, cookie, request } = await world([{ text: 'Hello.' }, { text: 'A title' }]);
    expect(seen(await request('POST', '/chat/t1', { message: 'hi' }))).toEqual([
      200,
      { runId: expect.stringMatching(/^run_/) },
    ]);
    const url = `${server.url}${bare}/events/t1`;
    const headers = sessionHeaders(cookie);
    const all = await readStream(url, headers, isFinish);
    const numbered = all.filter(({ id }) => id !== undefined);
    expect(numbered.map(({ id }) => id)).toEqual(numbered.map((_, at) => `${at + 1}`));
    expect(all.filter(isSync)[0]).toMatchObject({ id: undefined, data: { backgroundTasks: [], queue: [] } });
    const rest = numbered.slice(2).map(({ id }) => id);
    for (const frames of [
      await readStream(`${url}?lastEventId=2`, headers, isFinish),
      await readStream(`${url}?lastEventId=5`, { ...headers, 'last-event-id': '2' }, isFinish),
    ])
      expect(frames.flatMap(({ id }) => id ?? [])).toEqual(rest);
    expect(await readStream(`${url}?lastEventId=900`, headers, isSync)).toMatchObject([
      { id: undefined, event: 'reset', data: { nextEventId: expect.any(Number) } },
      { event: 'run-sync' },
    ]);
    const snapshot = await request('GET', '/threads/t1/messages?limit=1');
    expect(snapshot.json).toMatchObject({ view: { runs: [{ status: 'completed' }] }, before: null });
  });

  it('is refused while a run is open, stopped, and without a model', async () => {
    const { request } = await world(() => ({ text: 'Thinking', end: 'silent' }));
    await request('POST', '/chat/t1', { message: 'hi' });
    expect(seen(await request('POST', '/chat/t1', { message: 'again' }))).toMatchObject([
      409,
      { code: 'RUN_ACTIVE' },
    ]);
    const queued = await request('POST', '/chat/t1', { message: 'later', mode: 'queue' });
    const { queuedId } = queued.json as { queuedId: string };
    expect((await request('GET', '/threads/t1/queued-messages')).json).toMatchObject({
      messages: [{ id: queuedId }],
    });
    const message = `/threads/t1/queued-messages/${queuedId}`;
    expect((await request('PATCH', message, { text: 'other' })).json).toMatchObject({ text: 'other' });
    expect((await request('DELETE', message)).status).toBe(200);
    expect((await request('GET', '/threads/t1/status')).json).toMatchObject({ status: 'active', queue: [] });
    expect(seen(await request('POST', '/chat/t1/cancel'))).toEqual([200, { ok: true }]);
    expect(seen(await request('POST', '/chat/t1/cancel'))).toEqual([200, { ok: true }]);

    const { server, cookie, panel } = await paired();
    const got = await server.send(`${bare}/chat/t1`, {
      method: 'POST',
      headers: { cookie },
      body: { message: 'hi' },
    });
    expect(seen(got)).toMatchObject([503, { code: 'AGENT_OFF' }]);
    expect(await panel.agent.status.query()).toEqual({ module: true, enabled: false, model: null });
  });

  it('may have 16 MiB of attachments', async () => {
    const { request } = await world();
    const attachments = [{ name: 'a.txt', mediaType: 'text/plain', data: 'A'.repeat(8 * 1024 * 1024) }];
    expect((await request('POST', '/chat/t1', { message: 'hi', attachments })).status).toBe(200);
    const tooLarge = [...attachments, ...attachments];
    expect((await request('POST', '/chat/t2', { message: 'hi', attachments: tooLarge })).status).toBe(413);
    expect(chatBodyLimit).toBe(16 * 1024 * 1024);
  });
});

it('threads are listed, made, renamed and removed, at both mounts', async () => {
  const { server, cookie, request } = await world();
  expect(seen(await request('POST', '/threads', { id: 't1' }))).toMatchObject([
    200,
    { id: 't1', status: 'idle' },
  ]);
  expect((await request('PATCH', '/threads/t1', { title: 'Mine' })).json).toMatchObject({ title: 'Mine' });
  const page = await server.send(`${wrapped}/threads?query=mi&limit=5`, { headers: { cookie } });
  expect(page.json).toMatchObject({ data: { threads: [{ id: 't1', title: 'Mine' }], nextCursor: null } });
  expect((await request('GET', '/threads?limit=1000')).status).toBe(400);
  expect((await request('DELETE', '/threads/t1')).json).toEqual({ ok: true });
  expect((await request('GET', '/threads/t1')).status).toBe(404);
  expect((await request('PUT', '/threads/t1')).status).toBe(405);
});

describe('AG-01 rights', () => {
  it('a token with chat may chat, read the chats that it has made, and nothing else', async () => {
    const { server, tokenOf, request, agent, userId } = await world();
    const chat = await tokenOf('chat');
    const other = await tokenOf('chat');
    const use = async (headers: Record<string, string>, method: string, path: string, body?: unknown) =>
      (await server.send(path, { method, headers, body })).status;
    expect(await use(chat, 'POST', `${bare}/chat/t1`, { message: 'hi' })).toBe(200);
    expect(await use(chat, 'GET', `${bare}/threads`)).toBe(200);
    expect(await use(chat, 'POST', `${wrapped}/chat/t1/cancel`)).toBe(200);
    await request('POST', '/chat/of-person', { message: 'hi' });
    const reads = ['', '/messages', '/status', '/tool-calls/tc_none'].map(
      (path) => `${bare}/threads/t1${path}`,
    );
    for (const path of reads) {
      expect([path, await use(chat, 'GET', path)]).toEqual([path, path.includes('tc_none') ? 404 : 200]);
      expect([path, await use(other, 'GET', path)]).toEqual([path, 404]);
      const foreign = path.replace('t1', 'of-person');
      expect([path, await use(chat, 'GET', foreign)]).toEqual([path, 404]);
    }
    for (const [method, path, body] of [
      ['GET', '/events/of-person'],
      ['POST', '/threads', { id: 'of-person' }],
      ['POST', '/chat/of-person', { message: 'hi' }],
      ['POST', '/chat/of-person', { message: '/stop' }],
      ['POST', '/chat/of-person/cancel'],
      ['POST', '/chat/of-person/continue'],
    ] as const)
      expect([path, await use(chat, method, bare + path, body)]).toEqual([path, 404]);
    const listed = async (headers: Record<string, string>) =>
      (await server.send(`${bare}/threads`, { headers })).json as { threads: { id: string }[] };
    expect((await listed(chat)).threads.map(({ id }) => id)).toEqual(['t1']);
    expect((await listed(other)).threads).toEqual([]);
    expect((await agent.threads.list(userId, { limit: 9 })).threads).toHaveLength(2);
    for (const [method, path] of [
      ['DELETE', '/threads/t1'],
      ['GET', '/memory'],
      ['GET', '/settings'],
      ['PATCH', '/settings'],
      ['POST', '/confirm/ask_1'],
      ['GET', '/files/file_1'],
    ] as const)
      expect([path, await use(chat, method, bare + path)]).toEqual([path, 401]);
    const reader = await tokenOf('filesystemRead');
    expect(await use(reader, 'GET', `${bare}/threads`)).toBe(403);
    expect(await use({ ...chat, origin: 'https://evil.example' }, 'GET', `${bare}/threads`)).toBe(403);
    expect((await request('GET', '/threads/t1')).status).toBe(200);
  });

  it('a token with chat alone has no tools', async () => {
    const { server, tokenOf } = await world();
    const chat = await tokenOf('chat');
    const run = { method: 'POST', headers: chat, body: { name: 'read_file', arguments: {} } };
    expect((await server.send('/api/v1/calls', run)).status).toBe(503);
    expect((await server.send('/api/v1/tools', { headers: chat })).json).toMatchObject({ tools: [] });
  });

  it('without a session nothing is read, also of a large body', async () => {
    const { server } = await world();
    const body = { message: 'x'.repeat(10_000_000) };
    expect((await server.send(`${bare}/chat/t1`, { method: 'POST', body })).status).toBe(401);
    expect((await server.send('/trpc/agent.send', { method: 'POST', body })).status).toBe(401);
  });

  it('ids of another person are unknown, and settings are the owner’s', async () => {
    const { server, ann, ben, clientToken } = await createTenants();
    const of = (cookie: string) => async (method: string, path: string, body?: unknown) =>
      (await server.send(bare + path, { method, headers: { cookie }, body })).status;
    const [anns, bens] = [of(ann.cookie), of(ben.cookie)];
    expect(await anns('POST', '/threads', { id: 't1' })).toBe(200);
    for (const [method, path, body] of [
      ['GET', '/threads/t1'],
      ['PATCH', '/threads/t1', { title: 'His' }],
      ['DELETE', '/threads/t1'],
      ['GET', '/threads/t1/messages'],
      ['GET', '/threads/t1/status'],
      ['GET', '/events/t1'],
      ['GET', '/threads/t1/tool-calls/tc_1'],
      ['GET', '/files/file_1'],
      ['POST', '/chat/t1/tasks/ag_1/cancel'],
      ['POST', '/chat/t1/continue'],
    ] as const)
      expect([path, await bens(method, path, body)]).toEqual([path, 404]);
    const headers = { authorization: `Bearer ${clientToken}` };
    expect((await server.send(`${bare}/threads`, { headers })).status).toBe(401);
    expect(await bens('GET', '/settings')).toBe(200);
    expect(await bens('PATCH', '/settings', {})).toBe(403);
    expect(await bens('POST', '/settings/verify/model')).toBe(403);
    expect(await anns('GET', '/threads/t1')).toBe(200);
  });
});

it('`enabled` says whether a model can be used, at every door, and is pushed', async () => {
  const { server, cookie, panel } = await paired({ GATEWAY_FALLBACK_DIRECTORY: '/home/person' });
  const path = `${bare}/settings`;
  const pushed = await collectTopic(panel, 'settings');
  const change = async (body: object) => {
    await server.send(path, { method: 'PATCH', headers: { cookie }, body });
    return (await server.send(path, { headers: { cookie } })).json;
  };
  const module = {
    localGateway: true,
    localGatewayDisabled: false,
    localGatewayFallbackDirectory: '/home/person',
  };
  // A model without its URL cannot be used.
  expect(await change({ model: 'bare' })).toMatchObject({ ...module, enabled: false, model: 'bare' });
  expect(await panel.settings.get.query()).toMatchObject({ ...module, enabled: false });
  expect(await change({ modelUrl: 'http://127.0.0.1:1/v1' })).toMatchObject({ ...module, enabled: true });
  expect(await panel.settings.get.query()).toMatchObject({ ...module, enabled: true });
  const events = await pushed.until(2);
  expect(events.map(({ settings }) => settings.enabled)).toEqual([false, true]);
  pushed.stop();
});

it('a command is answered as in the panel, also to a token', async () => {
  const { server, tokenOf, request } = await world();
  const say = (message: string) => request('POST', '/chat/t1', { message });
  expect(seen(await say('/subagents'))).toEqual([200, { answer: 'There are no sub-agents.' }]);
  expect((await say('/help')).json).toMatchObject({ answer: expect.stringContaining('/queue') });
  expect((await say('/etc/hosts is what?')).json).toMatchObject({ runId: expect.any(String) });
  const body = { message: '/stop' };
  const headers = await tokenOf('chat');
  const { json } = await server.send(`${wrapped}/chat/t2`, { method: 'POST', headers, body });
  expect(json).toEqual({ data: { answer: 'Nothing is running.' } });
});

it('a question of the agent is answered at the address of the confirmations', async () => {
  const { request } = await world();
  const answer = { kind: 'questions', answers: [] };
  expect((await request('POST', '/confirm/ask_none', answer)).status).toBe(404);
  const approval = { kind: 'approval', approved: true };
  expect((await request('POST', '/confirm/none', approval)).status).toBe(404);
  // The gateway, which has every other id, takes no such answer.
  expect((await request('POST', '/confirm/none', answer)).status).toBe(400);
  expect((await request('POST', '/confirm/ask_none', { kind: 'other' })).status).toBe(400);
});

it('there are no routes where the module is disabled', async () => {
  const { server, cookie, panel } = await paired({ DISABLED_MODULES: 'instance-ai' });
  expect((await server.send(`${bare}/threads`, { headers: { cookie } })).status).toBe(404);
  expect(await panel.agent.status.query()).toEqual({ module: false, enabled: false, model: null });
  await expect(panel.agent.threads.list.query({})).rejects.toThrow('Not found');
});
