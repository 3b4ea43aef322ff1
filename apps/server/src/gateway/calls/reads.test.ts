import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connect,
  initBody,
  openGateway,
  text,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(() => fixture.close());

const tool = (name: string, readOnlyHint: boolean) => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint },
});
// What a machine says of its tools decides nothing.
const tools = [tool('read_file', false), tool('write_file', true)];
const until = { door: 'trpc', until: 'ended' } as const;
const call = (name: string) => ({ name, arguments: {} });

const open = async (options: Parameters<typeof openGateway>[0] = {}) => {
  fixture = await openGateway(options);
  return connect(fixture.gateway, 'ada', initBody({ tools }));
};

describe('a tool that only reads', () => {
  it.each([
    ['read_file', 'answered'],
    ['write_file', 'waiting'],
  ])(
    '%s: its caller is %s while the end cannot be written down; the daemon keeps it',
    async (name, expected) => {
      const { key, stream } = await open();
      const { gateway, clock, database } = fixture;
      let heard = 'waiting';
      const called = callerOf(gateway, 'ada')
        .run(call(name), until)
        .then(() => (heard = 'answered'));
      await clock.settle();
      const { requestId = '' } = stream.requests()[0] ?? {};
      await sql`pragma query_only = 1`.execute(database.db);
      await expect(gateway.daemon.respond(key, requestId, text('done'))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      expect([heard, (await gateway.calls.get('ada', requestId)).state]).toEqual([expected, 'delivered']);
      await sql`pragma query_only = 0`.execute(database.db);
      expect(await gateway.daemon.respond(key, requestId, text('done'))).toEqual({ ok: true });
      await called;
      expect((await gateway.calls.get('ada', requestId)).state).toBe('succeeded');
    },
  );

  it('ends at its deadline if its end could not be written down, and is not posted again', async () => {
    // The timer of its deadline is set again: it is among the open calls.
    const { key, stream } = await open({ timersEarlyMs: 1 });
    const { gateway, clock, database } = fixture;
    const called = callerOf(gateway, 'ada').run(call('read_file'), until);
    await clock.settle();
    const { requestId = '' } = stream.requests()[0] ?? {};
    await sql`pragma query_only = 1`.execute(database.db);
    await expect(gateway.daemon.respond(key, requestId, text('done'))).rejects.toThrow();
    await called;
    await sql`pragma query_only = 0`.execute(database.db);
    await clock.settle(30_000);
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ state: 'timed-out' });
  });

  it('is refused if its record cannot be written, and its late answer is rejected', async () => {
    const { key, stream } = await open();
    const { gateway, database } = fixture;
    await sql`pragma query_only = 1`.execute(database.db);
    const unavailable = { code: 'STORE_UNAVAILABLE' };
    await expect(callerOf(gateway, 'ada').run(call('read_file'), until)).rejects.toMatchObject(unavailable);
    await expect(callerOf(gateway, 'ada').run(call('write_file'), until)).rejects.toMatchObject(unavailable);
    expect(stream.requests().map(({ toolCall }) => toolCall.name)).toEqual(['read_file']);
    await sql`pragma query_only = 0`.execute(database.db);
    const { requestId = '' } = stream.requests()[0] ?? {};
    await expect(gateway.daemon.respond(key, requestId, text('done'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
