import { expect, it } from 'vitest';
import { story, use } from '../../../test/agent-turns.ts';
import { nextCall, withMachine } from '../../../test/agent.ts';
import { openPerson } from '../../../test/rpc.ts';

it('CH-29 gives a file that the agent sends as an attachment before the end, and the panel saves it', async () => {
  const page = '<script>alert(1)</script>';
  const blob = Buffer.from(page).toString('base64');
  const offered = ['read_file', 'export_file'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const { server, cookie, daemon, model, agent, userId } = await withMachine(
    story([use('send_file', { from: 'machine', path: 'out/page.html' }), { text: 'Here it is.' }]),
    {},
    { tools: offered },
  );
  const rpc = await openPerson(server, cookie);
  rpc.send({ id: 's', method: 'agent.send', params: { message: 'send it' } });
  const asked = await rpc.until(({ event }) => event === 'confirm_request');
  expect(asked.data).toMatchObject({ message: 'Send a file of desk to you?' });
  const { confirmId } = asked.data ?? {};
  const answer = { kind: 'approval', approved: true };
  expect((await rpc.call('agent.confirm', { confirmId, answer })).error).toBeUndefined();
  const call = await nextCall(daemon);
  expect(call.toolCall).toMatchObject({ name: 'export_file', arguments: { filePath: 'out/page.html' } });
  const resource = { uri: 'file:///page.html', mimeType: 'text/plain', blob };
  await daemon.respond(call.requestId, { result: { content: [{ type: 'resource', resource }] } });
  await rpc.answerOf('s');
  const { data } = rpc.frames.find(({ event }) => event === 'attachment') ?? {};
  expect(data).toEqual({
    mimeType: 'text/plain',
    data: blob,
    filename: 'page.html',
    callId: expect.any(String),
  });
  const order = rpc.frames.filter(({ id }) => id === 's').map((frame) => frame.event ?? 'result');
  expect(order.slice(order.indexOf('attachment'))).toEqual([
    ...['attachment', 'tool_end', 'content', 'run_state', 'done', 'result'],
  ]);
  // The model has the name, and no byte of the file; its tools do not give it one.
  expect(JSON.stringify(model.requests)).not.toContain(blob);
  expect(model.requests[0]?.tools).toContain('send_file');
  expect(model.requests[0]?.tools).not.toContain('export_file');

  const { threads } = await agent.threads.list(userId, { limit: 1 });
  const { view } = await agent.threads.snapshot(userId, threads[0]?.id ?? '', { limit: 1 });
  const [file] = Object.values(view.calls).flatMap(({ files = [] }) => files);
  expect(file).toMatchObject({ name: 'page.html', mediaType: 'text/plain', bytes: page.length });
  const saved = await server.send(`/api/v1/instance-ai/files/${file?.id}`, { headers: { cookie } });
  expect([saved.text, saved.headers['content-type'], saved.headers['content-disposition']]).toEqual([
    page,
    'application/octet-stream',
    "attachment; filename*=UTF-8''page.html",
  ]);
  expect(saved.headers['x-content-type-options']).toBe('nosniff');
  expect(saved.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
});
