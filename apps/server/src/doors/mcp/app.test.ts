import { expect, it } from 'vitest';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { bothTypes, messageOf, olderRequest } from '../../../test/mcp.ts';
import { paired } from '../../../test/paired.ts';

it('the server has the door: a token of the person reaches the machine, and the record names it', async () => {
  const { server, panel, token } = await paired();
  const daemon = await connectDaemon(server, token);
  const made = await panel.tokens.create.mutate({ name: 'Editor' });
  const { body, headers } = olderRequest('tools/call', { name: 'read_file', arguments: { filePath: 'a' } });
  const post = () =>
    server.send('/mcp', {
      method: 'POST',
      headers: { ...bothTypes, ...headers, authorization: `Bearer ${made.token}` },
      body,
    });
  const asked = post();
  const { requestId } = requestOf(await daemon.stream.next());
  await daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'read' }] } });
  expect(messageOf(await asked)).toMatchObject({
    id: 1,
    result: { content: [{ type: 'text', text: 'read' }] },
  });
  expect(await panel.calls.get.query({ requestId })).toMatchObject({
    door: 'mcp',
    via: { kind: 'token', id: made.id, name: 'Editor' },
  });

  const open = expect(post()).rejects.toThrow('hang up');
  const { requestId: second } = requestOf(await daemon.stream.next());
  await panel.tokens.revoke.mutate({ id: made.id });
  await open;
  await expect.poll(async () => (await panel.calls.get.query({ requestId: second })).state).toBe('cancelled');
  expect((await post()).status).toBe(401);
  expect(server.log.join('\n')).not.toContain(made.token);
});
