import type { Call, CallPage } from '@drawbridge/contracts/calls';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { daemonMounts, gatewayEpochHeader, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import type { ToolScope } from '@drawbridge/contracts/groups';
import { describe, expect, it } from 'vitest';
import { requestOf, type TestDaemon } from '../../../test/daemon.ts';
import { paired } from '../../../test/paired.ts';
import {
  answerNext,
  codeOf,
  listenRest,
  newRestClient,
  online,
  text,
  type RestClient,
} from '../../../test/rest.ts';
import type { Got } from '../../../test/server.ts';

const callOf = (got: Got) => got.json as Call;

const question = {
  toolGroup: 'filesystemWrite',
  resource: '/home/person/project/note.txt',
  description: 'Write note.txt',
  options: ['allowOnce', 'denyOnce'],
};

describe('authentication', () => {
  it('MC-04 a valid token, only in its header', async () => {
    const { server, cookie, script } = await online();
    const { token } = script;
    const tries: [string, Record<string, string>, string][] = [
      ['no token', {}, '/status'],
      ['an invalid token', { authorization: 'Bearer dbt_nothing' }, '/status'],
      ['another scheme', { authorization: `Basic ${token}` }, '/status'],
      ['the word alone', { authorization: 'Bearer' }, '/status'],
      ['a token in the address', {}, `/status?access_token=${token}&apiKey=${token}`],
      ['a token as a cookie', { cookie: `token=${token}` }, '/status'],
      ['US-01 the session of the panel', { cookie }, '/calls'],
    ];
    for (const [name, headers, path] of tries) {
      const got = await server.send(`/api/v1${path}`, { headers });
      expect([name, ...codeOf(got)]).toEqual([name, 401, 'UNAUTHORIZED']);
      expect(got.headers['www-authenticate']).toMatch(/^Bearer/);
    }
    const forged = { method: 'POST', headers: { cookie }, body: { name: 'read_file', arguments: {} } };
    expect(codeOf(await server.send('/api/v1/calls', forged))).toEqual([401, 'UNAUTHORIZED']);
  });

  it.each([
    ['MC-01 a page of another site', { origin: 'https://evil.example' }],
    ['MC-01 a page of nowhere', { origin: 'null' }],
    ['MC-02 another host', { host: 'evil.example' }],
  ])('%s is refused, also with a token', async (_, headers) => {
    const { script } = await online();
    expect(codeOf(await script.send('/status', { headers }))).toEqual([403, 'FOREIGN_ORIGIN']);
  });

  it('a revoked token ends at once', async () => {
    const { panel, script } = await online();
    const [token] = await panel.tokens.list.query();
    await panel.tokens.revoke.mutate({ id: token?.id ?? '' });
    expect(codeOf(await script.send('/status'))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('tools', () => {
  it('MC-12 a token sees those of its groups', async () => {
    const { server, cookie } = await online();
    const table: [ToolScope[], string[]][] = [
      [['filesystemRead'], ['read_file']],
      [['filesystemWrite'], ['write_file']],
      [
        ['filesystemRead', 'filesystemWrite'],
        ['read_file', 'write_file'],
      ],
      [['shell'], []],
    ];
    for (const [scopes, names] of table) {
      const script = await newRestClient(server, cookie, { scopes });
      const { json } = await script.send('/tools');
      expect((json as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(names);
    }
  });

  it('MC-12 a hidden tool is answered as an unknown one', async () => {
    const { script } = await online();
    const hidden = await script.run('write_file');
    const none = await script.run('no_such_tool');
    expect([hidden.status, hidden.json]).toEqual([none.status, none.json]);
    expect(codeOf(none)).toEqual([404, 'UNKNOWN_TOOL']);
  });

  it('are the last known ones while the machine is offline, and a call is refused as such', async () => {
    const { panel, script } = await online();
    const before = await script.send('/tools');
    await panel.gateway.disconnect.mutate();
    expect((await script.send('/tools')).json).toEqual(before.json);
    expect(codeOf(await script.run('read_file'))).toEqual([503, 'NOT_CONNECTED']);
    expect(codeOf(await script.run('write_file'))).toEqual([404, 'UNKNOWN_TOOL']);
  });
});

describe('a call', () => {
  it('is answered when it has ended, and names its token in the record', async () => {
    const { panel, daemon, script } = await online();
    const running = script.run('read_file', { path: 'a.txt' });
    const request = await answerNext(daemon);
    const got = await running;
    expect(got.status).toBe(200);
    expect(callOf(got)).toMatchObject({
      requestId: request.requestId,
      tool: 'read_file',
      door: 'rest',
      via: { kind: 'token', name: 'script' },
      state: 'succeeded',
      result: text('hello'),
    });
    expect(await panel.calls.get.query({ requestId: request.requestId })).toEqual(got.json);
  });

  it('that failed is answered too', async () => {
    const { daemon, script } = await online();
    const running = script.run('read_file');
    await answerNext(daemon, { ...text('no such file'), isError: true });
    expect(await running).toMatchObject({ status: 200, json: { state: 'failed' } });
  });

  it('continues after a 202 on request, and can be awaited', async () => {
    const { daemon, script } = await online();
    const got = await script.run('read_file', {}, { prefer: 'respond-async' });
    const { requestId } = callOf(got);
    expect([got.status, got.headers.location]).toEqual([202, `/api/v1/calls/${requestId}`]);
    const waiting = script.send(`/calls/${requestId}`, { headers: { prefer: 'wait=60' } });
    await answerNext(daemon);
    expect(await waiting).toMatchObject({ status: 200, json: { requestId, state: 'succeeded' } });
    expect(await script.send(`/calls/${requestId}`)).toMatchObject({ json: { state: 'succeeded' } });
  });

  it('MC-11 brings no decision of its own, and is decided in the panel alone', async () => {
    const { server, cookie, panel, daemon } = await online();
    const script = await newRestClient(server, cookie, { scopes: ['filesystemWrite'] });
    const running = script.run('write_file', { filePath: 'note.txt', _confirmation: 'allowOnce' });
    const asked = requestOf(await daemon.stream.next());
    expect(asked.toolCall.arguments).toEqual({ filePath: 'note.txt' });
    await daemon.respond(asked.requestId, {
      result: { isError: true, content: [{ type: 'text', text: confirmationText.encode(question) }] },
    });
    const waits = await script.send(`/calls/${asked.requestId}`);
    expect(callOf(waits).state).toBe('awaiting-confirmation');
    const { confirmationId } = callOf(waits);
    for (const path of [`/instance-ai/confirm/${asked.requestId}`, `/confirmations/${confirmationId}`]) {
      const got = await script.send(path, { method: 'POST', body: { approved: true } });
      expect(got.status).toBeGreaterThanOrEqual(401);
    }
    await panel.confirmations.decide.mutate({
      confirmationId: confirmationId ?? '',
      approved: true,
      resourceDecision: 'allowOnce',
    });
    const request = await answerNext(daemon);
    expect(request.toolCall.arguments).toEqual({ filePath: 'note.txt', _confirmation: 'allowOnce' });
    expect(await running).toMatchObject({ json: { state: 'succeeded', decision: 'allowOnce' } });
  });

  it('MC-14 is cancelled when its client disconnects', async () => {
    const { server, panel, daemon, script } = await online();
    const leaving = new AbortController();
    const running = fetch(`${server.url}/api/v1/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${script.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'read_file', arguments: {} }),
      signal: leaving.signal,
    }).catch(() => null);
    const events = listenRest(server, script);
    const { requestId } = requestOf(await daemon.stream.next());
    leaving.abort();
    await running;
    await events.until(
      ({ event, data }) => event === 'call' && (data as { call: Call }).call.state === 'cancelled',
    );
    expect(await panel.calls.get.query({ requestId })).toMatchObject({ state: 'cancelled' });
  });

  it('is stopped by its own token', async () => {
    const { script } = await online();
    const { requestId } = callOf(await script.run('read_file', {}, { prefer: 'respond-async' }));
    const stopped = await script.send(`/calls/${requestId}/cancel`, { method: 'POST' });
    expect(stopped).toMatchObject({ status: 200, json: { requestId, state: 'cancelled' } });
    expect(await script.send(`/calls/${requestId}/cancel`, { method: 'POST' })).toEqual(
      expect.objectContaining({ status: 200, json: stopped.json }),
    );
  });

  it('MC-12 is refused at once while no machine is connected, of a hidden tool too', async () => {
    const { server, cookie } = await paired();
    const script = await newRestClient(server, cookie);
    for (const name of ['read_file', 'write_file'])
      expect(codeOf(await script.run(name))).toEqual([503, 'NOT_CONNECTED']);
  });

  it('US-06 has a body of known fields', async () => {
    const { script } = await online();
    const bodies: unknown[] = [
      [],
      { name: 'read_file', arguments: {}, userId: 'u' },
      { name: 'read_file', arguments: {}, via: { kind: 'token', id: 'x', name: 'x' } },
      { arguments: {} },
      { name: 'read_file', arguments: [1] },
    ];
    for (const body of bodies)
      expect(codeOf(await script.send('/calls', { method: 'POST', body }))).toEqual([400, 'BAD_REQUEST']);
  });

  it('with arguments beyond 4 MiB is refused', async () => {
    const { script } = await online();
    expect(codeOf(await script.run('read_file', { path: 'x'.repeat(4 * 1024 * 1024) }))).toEqual([
      413,
      'TOO_LARGE',
    ]);
  });
});

describe('US-05 a token sees its own calls', () => {
  const callBy = async (script: RestClient, daemon: TestDaemon) => {
    const running = script.run('read_file');
    await answerNext(daemon);
    return callOf(await running).requestId;
  };
  const ids = (got: Got) => (got.json as CallPage).calls.map(({ requestId }) => requestId);

  it('and no others, of the same person neither', async () => {
    const { server, cookie, panel, daemon, script } = await online();
    const other = await newRestClient(server, cookie, { name: 'other' });
    const own = await callBy(script, daemon);
    const foreign = await callBy(other, daemon);
    const running = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    await answerNext(daemon);
    const { requestId: ofPanel } = await running;
    expect(ids(await script.send('/calls'))).toEqual([own]);
    expect(ids(await other.send('/calls'))).toEqual([foreign]);
    const unknown = await script.send('/calls/unknown');
    for (const id of [foreign, ofPanel, '..%2Fcalls', 'x'.repeat(65)]) {
      const got = await script.send(`/calls/${id}`);
      expect([got.status, got.json]).toEqual([unknown.status, unknown.json]);
      const stopped = await script.send(`/calls/${id}/cancel`, { method: 'POST' });
      expect([stopped.status, stopped.json]).toEqual([unknown.status, unknown.json]);
    }
    expect(codeOf(unknown)).toEqual([404, 'NOT_FOUND']);
  });

  it('MC-12 and none with a tool that is no longer in its scopes', async () => {
    const { server, daemon, script } = await online();
    const requestId = await callBy(script, daemon);
    const tools = [{ name: 'read_file', inputSchema: {}, annotations: { category: 'shell' } }];
    const told = await server.send(`${daemonMounts.bare}/tools`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: daemon.sessionKey, [gatewayEpochHeader]: '1' },
      body: { tools },
    });
    expect(told.status).toBe(200);
    const unknown = await script.send('/calls/unknown');
    const got = await script.send(`/calls/${requestId}`);
    const stopped = await script.send(`/calls/${requestId}/cancel`, { method: 'POST' });
    expect([got.status, got.json]).toEqual([unknown.status, unknown.json]);
    expect([stopped.status, stopped.json]).toEqual([unknown.status, unknown.json]);
  });

  it('page by page, newest first', async () => {
    const { daemon, script } = await online();
    const made = [];
    for (let calls = 0; calls < 3; calls += 1) made.unshift(await callBy(script, daemon));
    const first = await script.send('/calls?limit=2');
    const { nextCursor } = first.json as CallPage;
    const second = await script.send(`/calls?limit=2&cursor=${nextCursor}`);
    expect([...ids(first), ...ids(second)]).toEqual(made);
    expect((second.json as CallPage).nextCursor).toBeNull();
  });

  it('and asks for pages in known words', async () => {
    const { script } = await online();
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'all=true'])
      expect(codeOf(await script.send(`/calls?${query}`))).toEqual([400, 'BAD_REQUEST']);
  });
});
