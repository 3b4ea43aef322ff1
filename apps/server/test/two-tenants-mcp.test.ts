import { expect, it } from 'vitest';
import { differences, expectKnownToAnn, expectUntouched, type Ask, type WithId } from './foreign-ids.ts';
import { createTenants } from './tenants.ts';

/** Many requests, on machines that run many tests at once. */
const limitMs = 120_000;

const accept = 'application/json, text/event-stream';

const message =
  (body: (id: string) => object, headers: (id: string) => Record<string, string> = () => ({})): Ask =>
  (id) => ({
    path: '/mcp',
    method: 'POST',
    headers: { accept, ...headers(id) },
    body: { jsonrpc: '2.0', ...body(id) },
  });

const tool = (params: object) => ({ id: 1, method: 'tools/call', params });

/** Every place of a message that takes an id, and the header that does. */
const places: Record<string, WithId> = {
  'Mcp-Session-Id': {
    own: 'MCP session',
    ask: message(
      () => ({ id: 1, method: 'tools/list' }),
      (id) => ({ 'mcp-session-id': id }),
    ),
  },
  'Mcp-Session-Id of a stream': {
    ask: (id) => ({
      path: '/mcp',
      headers: { accept: 'text/event-stream', 'mcp-session-id': id },
    }),
  },
  call_result: {
    own: 'call of the token',
    ask: message((id) => tool({ name: 'call_result', arguments: { id, waitMs: 0 } })),
  },
  'notifications/cancelled': {
    ask: message((id) => ({ method: 'notifications/cancelled', params: { requestId: id } })),
  },
  'an answer to a request of the server': { ask: message((id) => ({ id, result: { action: 'accept' } })) },
  'the name of a tool': { ask: message((id) => tool({ name: id, arguments: {} })) },
  requestState: {
    ask: message((id) => tool({ name: 'machine_status', arguments: {}, requestState: id })),
  },
};

it(
  'US-05 MC-08 an MCP client gets the same answer for an id of another user and an unknown one',
  async () => {
    const world = await createTenants();
    const { ids } = world;
    const { token = {}, client = {} } = world.proofs;
    expect(await differences({ ...world, proofs: { token, client } }, places)).toEqual([]);
    await expectUntouched(world);
    await expectKnownToAnn(world, places);
    expect(Object.values(ids).every((id) => id.length > 10)).toBe(true);
  },
  limitMs,
);
