import { expect, it } from 'vitest';
import { connect, text } from '../../../../test/gateway-fixture.ts';
import { bothTypes, messageOf, modernRequest, openMcp } from '../../../../test/mcp.ts';

const { body, headers } = modernRequest('tools/call', { name: 'write_file', arguments: {} });

/** Asks for a tool that answers after 25 s; the machine says now and then that it works. */
const askSlowly = async (accept: string) => {
  const mcp = await openMcp();
  const { key, stream } = await connect(mcp.gateway, 'ada');
  const asked = mcp.post(body, { headers: { ...headers, accept } });
  await expect.poll(() => stream.requests().length).toBe(1);
  const [id = ''] = stream.requests().map(({ requestId }) => requestId);
  mcp.clock.advance(25_000);
  await mcp.gateway.daemon.respond(key, id, text('done'));
  return asked;
};

it('a slow answer arrives on a stream with keep-alive comments', async () => {
  const got = await askSlowly(bothTypes.accept);
  expect(got.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(got.headers['cache-control']).toBe('no-cache, no-transform');
  expect(got.text.split('\n\n').slice(0, 2)).toEqual([': waiting', ': waiting']);
  expect(messageOf(got)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
});

it('a client without streams gets JSON, also for a slow answer', async () => {
  const got = await askSlowly('application/json');
  expect(got.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(got.json).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
});
