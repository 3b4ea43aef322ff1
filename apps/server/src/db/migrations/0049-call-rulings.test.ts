import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { allow, ask } from '../../../test/asked.ts';
import { callerOf, text, useGateway } from '../../../test/gateway-fixture.ts';
import { callRulings } from './0049-call-rulings.ts';
import { itOnSqlite } from '../../../test/store-place.ts';

const fixture = useGateway();

it('of earlier calls, those that were asked about are known', async () => {
  const { gateway, clock, database, key, stream, requestId } = await ask(fixture);
  clock.advance(1_000);
  const read = { name: 'read_file', arguments: { path: 'b.txt' } };
  const running = callerOf(gateway, 'ada').run(read, { door: 'mcp', until: 'ended' });
  await clock.settle();
  await gateway.daemon.respond(key, stream.requests().at(-1)?.requestId ?? '', text('b'));
  await running;
  const asked = async () => {
    const { calls } = await gateway.calls.list('ada', { ruling: 'asked', limit: 9 });
    return calls.map((call) => [call.requestId, call.ruling]);
  };
  expect(await asked()).toEqual([[requestId, 'asked']]);
  // As an earlier version has left it.
  const { db } = database;
  await db.schema.dropIndex('callsByFilter').execute();
  await db.schema.alterTable('calls').dropColumn('ruling').execute();
  await db.schema.createIndex('callsByFilter').on('calls').column('userId').execute();
  await callRulings.up(db);
  expect(await asked()).toEqual([[requestId, 'asked']]);
  const { calls } = await gateway.calls.list('ada', { limit: 9 });
  expect(calls.map(({ ruling }) => ruling)).toEqual([null, 'asked']);
});

it('a call that was asked about stays so, whatever its result says', async () => {
  const { gateway, clock, key, requestId, confirmationId, running } = await ask(fixture, {
    features: ['rulings'],
  });
  await gateway.confirmations.decide('ada', { confirmationId }, allow('allowOnce'));
  await clock.settle();
  await gateway.daemon.respond(key, requestId, text('written'));
  expect((await running).ruling).toBe('asked');
});

itOnSqlite('a filter by what decided is answered from the index alone', async () => {
  await fixture.open();
  const { rows } = await sql<{ detail: string }>`explain query plan select "requestId" from calls
    where "userId" = 'ada' and ruling = 'mode' and "createdAt" >= 5 order by "createdAt" desc`.execute(
    fixture.database.db,
  );
  expect(rows.map(({ detail }) => detail).join()).toContain('COVERING INDEX callsByFilter');
});
