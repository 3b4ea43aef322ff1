import { expect, it } from 'vitest';
import { story, use } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { newToken, openPerson, openRpc } from '../../../test/rpc.ts';
import { startServer } from '../../../test/server.ts';

const artifactsIn = (result: Record<string, unknown> = {}) => result.artifacts as { artifactId: string }[];

it('acceptance 20: the canvas of a session, its order and limits, also after a restart', async () => {
  const { server, cookie } = await withAgent([]);
  const { token } = await newToken(server, cookie);
  const rpc = await openRpc(server, token);
  const sessionId = 'cli:canvas';
  const put = (artifactId: string, content: unknown = { markdown: '# A' }, more: object = {}) =>
    rpc.call('canvas.put', { sessionId, artifactId, type: 'note', content, ...more });

  expect((await rpc.call('canvas.list', { sessionId })).error?.code).toBe(1);
  expect((await put('a')).result).toMatchObject({ created: true, artifact: { artifactId: 'a', rev: 1 } });
  await put('b', 'x'.repeat(5_000));
  expect((await put('a', [1])).result).toMatchObject({ created: false, artifact: { content: [1], rev: 2 } });

  const { result } = await rpc.call('canvas.list', { sessionId });
  expect(artifactsIn(result).map(({ artifactId }) => artifactId)).toEqual(['a', 'b']);
  expect(result).toMatchObject({ artifacts: [{ content: [1] }, { contentBytes: 5_002 }], total: 2 });
  expect(artifactsIn(result)[1]).not.toHaveProperty('content');
  expect((await rpc.call('canvas.list', { sessionId, offset: 1 })).result).toMatchObject({ total: 2 });
  expect((await rpc.call('canvas.get', { sessionId, artifactId: 'b' })).result).toMatchObject({
    artifact: { content: 'x'.repeat(5_000) },
  });

  expect((await put('c', 'x'.repeat(257 * 1024))).error?.code).toBe(14);
  expect((await put('c', 1, { metadata: { a: 'x'.repeat(9_000) } })).error?.code).toBe(14);
  expect((await put('x'.repeat(129))).error?.code).toBe(-2);
  await Promise.all(Array.from({ length: 30 }, (_, at) => put(`large ${at}`, 'x'.repeat(250 * 1024))));
  expect((await put('more', 'x'.repeat(250 * 1024), { title: 'more' })).result).toBeDefined();
  expect((await put('most', 'x'.repeat(250 * 1024))).result).toBeDefined();
  expect((await put('beyond 8 MiB', 'x'.repeat(250 * 1024))).error?.code).toBe(14);

  const other = await openRpc(server, (await newToken(server, cookie, ['agent', 'shell'])).token);
  for (const method of ['canvas.get', 'canvas.delete'])
    expect((await other.call(method, { sessionId, artifactId: 'a' })).error?.code).toBe(1);
  expect((await rpc.call('canvas.delete', { sessionId, artifactId: 'nope' })).error?.code).toBe(19);
  expect((await rpc.call('canvas.delete', { sessionId, artifactId: 'b' })).result).toEqual({ success: true });

  await server.app.close();
  const again = await openRpc(await startServer({ dataDir: server.dataDir }), token);
  expect((await again.call('canvas.get', { sessionId, artifactId: 'a' })).result).toMatchObject({
    artifact: { rev: 2 },
  });
  expect((await again.call('canvas.clear', { sessionId })).result).toEqual({ success: true, removed: 33 });
  const small = (artifactId: string) =>
    again.call('canvas.put', { sessionId, artifactId, type: 't', content: 0 });
  // No more than 100 requests of a connection may be open.
  for (let round = 0; round < 4; round += 1)
    await Promise.all(Array.from({ length: 50 }, (_, at) => small(`${round} ${at}`)));
  expect((await small('0 0')).result).toMatchObject({ created: false });
  expect((await small('one more')).error?.code).toBe(10);
}, 60_000);

it('acceptance 20: the agent writes and reads the same documents', async () => {
  const document = { artifactId: 'plan', type: 'note', content: { markdown: 'from the model' } };
  const { server, cookie, model } = await withAgent(
    story([use('canvas_put', document), use('canvas_get', { artifactId: 'plan' }), { text: 'Done.' }]),
  );
  const rpc = await openPerson(server, cookie);
  await rpc.call('agent.send', { sessionId: 'cli:one', message: 'write' });
  const { result } = await rpc.call('canvas.get', { sessionId: 'cli:one', artifactId: 'plan' });
  expect(result).toMatchObject({ artifact: { ...document, rev: 1 } });
  const results = model.requests.map(({ text }) => text).join();
  expect(results).toMatch(/Stored as plan, revision 1/);
  // A client may have written it: it is data.
  expect(results).toMatch(/untrusted source=[^>]*canvas/);
});
