import { expect, it } from 'vitest';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { paired } from '../../../test/paired.ts';
import { newRestClient } from '../../../test/rest.ts';
import { newToken, openRpc } from '../../../test/rpc.ts';

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
};

const world = async (environment: Record<string, string> = {}) => {
  const { server, cookie, panel, token } = await paired(environment);
  const daemon = await connectDaemon(server, token, { tools: [{ name: 'read_file', inputSchema }] });
  const script = await newRestClient(server, cookie);
  const calls = async () => (await panel.calls.list.query({ limit: 50 })).calls;
  return { server, cookie, panel, daemon, script, calls };
};
type World = Awaited<ReturnType<typeof world>>;

const answered = async ({ script, daemon }: World, path: string) => {
  const run = script.run('read_file', { path });
  const { requestId } = requestOf(await daemon.stream.next());
  await daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'ok' }] } });
  return { requestId, status: (await run).status };
};

it('NJ-01: refused arguments are not stored, at any door, and the field is named', async () => {
  const all = await world();
  const { server, cookie, panel, script, calls } = all;
  const pad = { path: 'a', pad: 'x'.repeat(1024 * 1024) };
  for (let count = 0; count < 3; count += 1)
    expect(await script.run('read_file', pad)).toMatchObject({
      status: 400,
      json: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('pad'), fix: expect.any(String) },
    });
  await expect(panel.calls.run.mutate({ name: 'read_file', arguments: { path: 1 } })).rejects.toThrow('path');
  const rpc = await openRpc(server, (await newToken(server, cookie)).token);
  const { error } = await rpc.call('tools.execute', { tool: 'read_file', args: { wrong: 1 } });
  expect(error).toMatchObject({ code: -2, data: { code: 'INVALID_ARGUMENTS' } });
  const mcp = await server.send('/mcp', {
    method: 'POST',
    headers: { authorization: `Bearer ${script.token}`, accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_file', arguments: pad } },
  });
  expect(mcp.text).toContain('pad: no such argument');
  expect(await calls()).toEqual([]);
  expect((await answered(all, 'a')).status).toBe(200);
});

it('which rules allowed a call is for the person, and not for its caller', async () => {
  const { script, daemon, panel } = await world();
  const run = script.run('read_file', { path: 'a' });
  const { requestId } = requestOf(await daemon.stream.next());
  const allowed = { rules: [{ label: 'read of files in keys', covers: 'always' }] };
  const _meta = { 'drawbridge/started': true, 'drawbridge/allowed': allowed };
  await daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'ok' }], _meta } });
  for (const { json } of [await run, await script.send(`/calls/${requestId}`)])
    expect(json).toMatchObject({ result: { _meta: { 'drawbridge/started': true } } });
  for (const { text } of [await run, await script.send(`/calls/${requestId}`)])
    expect(text).not.toContain('keys');
  expect((await panel.calls.get.query({ requestId })).result?._meta).toEqual(_meta);
});

it('NJ-01: long arguments of an ended call say how long they were', async () => {
  const all = await world();
  const { requestId, status } = await answered(all, 'x'.repeat(100 * 1024));
  expect(status).toBe(200);
  const got = await all.script.send(`/calls/${requestId}`);
  expect(got.json).toMatchObject({
    arguments: { 'drawbridge/not-kept': { bytes: 102_411, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  });
});

it('NJ-01: a token that has stored enough today is told when it may go on', async () => {
  const all = await world({ STORED_BYTES_PER_DAY: String(1024 * 1024) });
  await answered(all, 'x'.repeat(700 * 1024));
  const refused = await all.script.run('read_file', { path: 'x'.repeat(700 * 1024) });
  expect(refused).toMatchObject({ status: 429, json: { code: 'STORED_TOO_MUCH' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await all.calls()).toHaveLength(1);
  const other = await newRestClient(all.server, all.cookie);
  expect((await answered({ ...all, script: other }, 'a')).status).toBe(200);
});

it('NJ-01: on a disk that is almost full no call is begun; /health says so, and the server keeps its traffic', async () => {
  // More than any disk has free.
  const { server, script, panel, calls } = await world({ DISK_FLOOR_BYTES: '999999999999999' });
  const full = { code: 'DISK_ALMOST_FULL', message: expect.stringContaining('almost full') };
  expect(await script.run('read_file', { path: 'a' })).toMatchObject({ status: 503, json: full });
  expect(await server.send('/health')).toMatchObject({
    status: 200,
    json: { ok: true, status: 'degraded', ...full },
  });
  expect(await calls()).toEqual([]);
  expect(await panel.account.me.query()).toMatchObject({ isOwner: true });
});
