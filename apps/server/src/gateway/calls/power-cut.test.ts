import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connect,
  openGateway,
  openStream,
  question,
  text,
  type FakeStream,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const opened: { fixture: GatewayFixture; folder: string }[] = [];
/** On the store that is in the file, where there is one. */
const open = async (file?: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'power-'));
  if (file !== undefined) copyFileSync(file, join(folder, 'drawbridge.db'));
  const fixture = await openGateway({ folder });
  opened.push({ fixture, folder });
  return { ...fixture, folder };
};
afterEach(async () => {
  for (const { fixture, folder } of opened.splice(0)) {
    await fixture.close();
    rmSync(folder, { recursive: true });
  }
});

const idOf = (stream: FakeStream) => stream.requests().at(-1)?.requestId ?? 'none';

const start = ({ gateway }: GatewayFixture, tool: string) => {
  const call = { name: tool, arguments: { path: 'a.txt' } };
  const running = callerOf(gateway, 'ada').run(call, { door: 'trpc', until: 'ended' });
  running.catch(() => {});
  return running;
};

/**
 * Writes down how careful the connection is with each change: 1 where it is kept without a sync, 2 where it
 * is synced.
 */
const countChanges = async ({ database: { db } }: GatewayFixture) => {
  await sql`create table watched (what text, level integer)`.execute(db);
  for (const table of ['calls', 'confirmations'])
    for (const change of ['insert', 'update'])
      await sql`create trigger ${sql.ref(`${table}-${change}`)} after ${sql.raw(change)} on ${sql.table(table)} begin
        insert into watched select new.state || ' ' || ${sql.lit(table)}, synchronous from pragma_synchronous; end`.execute(
        db,
      );
  const watched = async () => (await sql<object>`select * from watched`.execute(db)).rows.map(Object.values);
  return watched;
};

describe('the order of writes to disk', () => {
  it.each([
    ['read_file', 1],
    ['write_file', 2],
  ])('%s: the record and the end', async (tool, level) => {
    const fixture = await open();
    const { key, stream } = await connect(fixture.gateway, 'ada');
    const watched = await countChanges(fixture);
    const running = start(fixture, tool);
    await fixture.clock.settle();
    await fixture.gateway.daemon.respond(key, idOf(stream), text('done'));
    await running;
    expect(await watched()).toEqual([
      ['delivered calls', level],
      ['succeeded calls', level],
    ]);
  });

  it('a question is kept, its answer and what follows are synced', async () => {
    const fixture = await open();
    const { key, stream } = await connect(fixture.gateway, 'ada');
    const running = start(fixture, 'write_file');
    await fixture.clock.settle();
    const watched = await countChanges(fixture);
    const requestId = idOf(stream);
    await fixture.gateway.daemon.respond(key, requestId, question());
    await fixture.gateway.confirmations.decide(
      'ada',
      { requestId },
      { approved: true, resourceDecision: 'allowOnce' },
    );
    await fixture.gateway.daemon.respond(key, requestId, text('done'));
    await running;
    expect(await watched()).toEqual([
      ['open confirmations', 1],
      ['awaiting-confirmation calls', 1],
      ['decided confirmations', 2],
      ['pending calls', 2],
      ['delivered calls', 2],
      ['succeeded calls', 2],
    ]);
  });
});

describe('a power cut', () => {
  it('PS-06 that loses a question: the call is sent again, asked about again, and runs once', async () => {
    const before = await open();
    const { key, stream } = await connect(before.gateway, 'ada');
    void start(before, 'write_file');
    await before.clock.settle();
    const requestId = idOf(stream);
    await sql`pragma wal_checkpoint(truncate)`.execute(before.database.db);
    const synced = join(before.folder, 'synced');
    copyFileSync(join(before.folder, 'drawbridge.db'), synced);
    await before.gateway.daemon.respond(key, requestId, question());
    const [lost] = await before.gateway.confirmations.list('ada');
    expect(lost?.requestId).toBe(requestId);

    const { gateway, clock } = await open(synced);
    expect(await gateway.confirmations.list('ada')).toEqual([]);
    const next = await openStream(gateway, key);
    await clock.settle();
    expect(next.requests()).toMatchObject([{ requestId, again: true }]);
    await gateway.daemon.respond(key, requestId, question());
    expect(await gateway.confirmations.list('ada')).toMatchObject([{ requestId, resource: lost?.resource }]);
    await expect(
      gateway.confirmations.decide('ada', { confirmationId: lost?.id ?? '' }, { approved: true }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await gateway.confirmations.decide(
      'ada',
      { requestId },
      { approved: true, resourceDecision: 'allowOnce' },
    );
    await clock.settle();
    await gateway.daemon.respond(key, requestId, text('done'));
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ state: 'succeeded' });
    const decided = next.requests().filter((request) => '_confirmation' in request.toolCall.arguments);
    expect(decided).toMatchObject([{ requestId }]);
  });
});
