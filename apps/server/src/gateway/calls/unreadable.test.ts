import { machineOf, machineStatus } from '../../callers/index.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  ended,
  idOf,
  initBody,
  openStream,
  question,
  text,
  useGateway,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const read = { name: 'read_file', arguments: { path: 'a.txt' } };

/** Makes a call whose maker goes down with the server. */
const call = async () => {
  void callerOf(fixture.gateway, 'ada')
    .run(read, ended)
    .catch(() => {});
  await fixture.clock.settle();
};

/** Two calls that were sent, of which the first comes to harm, and the server that starts then. */
const damaged = async (harm: (requestId: string) => ReturnType<typeof sql>) => {
  const { key, stream } = await fixture.connected();
  await call();
  await fixture.clock.settle(1);
  await call();
  const [harmed = 'none', sound = 'none'] = stream.requests().map(({ requestId }) => requestId);
  await harm(harmed).execute(fixture.database.db);
  await fixture.crash();
  return { key, harmed, sound, gateway: fixture.gateway };
};

const unreadable = {
  code: 'UNREADABLE',
  message: 'A part of the record of this call cannot be read',
};

/** One value in one column of a call, whatever it should hold. */
const harm = (column: string, value: string) => (requestId: string) =>
  sql`update calls set ${sql.ref(column)} = ${sql.lit(value)} where "requestId" = ${requestId}`;

describe('PS-11 a stored call that cannot be read', () => {
  it.each([
    ['arguments that are no JSON', 'arguments', '{"path":'],
    ['arguments that are no object', 'arguments', '[]'],
    ['an unknown state', 'state', 'dreaming'],
    ['a state that has ended', 'state', 'succeeded'],
    ['an unknown door', 'door', 'cat-flap'],
    ['a maker of another shape', 'via', '{"kind":"robot"}'],
    ['an unknown decision', 'decision', 'allowEverything'],
    ['an error of another shape', 'error', '"no"'],
    ['a result of another shape', 'result', '{"content":"hi"}'],
    ['an invalid time', 'endsAt', 'soon'],
    ['a time that no date has', 'deliveredAt', '9000000000000000'],
    ['an invalid epoch', 'epoch', 'jurassic'],
  ])('with %s is set aside, and the server starts', async (_name, column, value) => {
    const { key, harmed, sound, gateway } = await damaged(harm(column, value));
    expect(fixture.log).toEqual([
      { call: harmed, columns: [column], sentence: 'a call has unreadable columns' },
    ]);
    expect(JSON.stringify(fixture.log)).not.toContain(value);
    expect(await gateway.calls.get('ada', harmed)).toMatchObject({
      state: 'lost',
      error: column === 'error' ? unreadable : { code: 'UNREADABLE' },
      started: null,
      endedAt: new Date(fixture.clock.now()).toISOString(),
    });
    const stream = await openStream(gateway, key);
    await fixture.clock.settle();
    expect(stream.requests().map(({ requestId }) => requestId)).toEqual([sound]);
    await gateway.daemon.respond(key, sound, text('hi'));
    await expect(gateway.daemon.respond(key, harmed, text('hi'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const { calls, nextCursor } = await gateway.calls.list('ada', { limit: 1 });
    expect(calls).toMatchObject([{ requestId: sound, state: 'succeeded' }]);
    const rest = await gateway.calls.list('ada', { limit: 1, cursor: nextCursor ?? '' });
    expect(rest).toMatchObject({ calls: [{ requestId: harmed, state: 'lost' }], nextCursor: null });
    await fixture.crash();
    expect(fixture.log).toEqual([]);
  });

  it('keeps its content', async () => {
    const { harmed } = await damaged(harm('arguments', '{"path":'));
    const row = await fixture.database.db
      .selectFrom('calls')
      .select('arguments')
      .where('requestId', '=', harmed)
      .executeTakeFirst();
    expect(row).toEqual({ arguments: '{"path":' });
  });

  it('with an unreadable time is in no list', async () => {
    const { harmed, sound, gateway } = await damaged(harm('createdAt', 'once'));
    expect(await gateway.calls.list('ada', { limit: 1 })).toMatchObject({
      calls: [{ requestId: sound }],
      nextCursor: null,
    });
    expect(await gateway.calls.get('ada', harmed)).toMatchObject({ state: 'lost', error: unreadable });
  });
});

describe('PS-11 a call that has ended and cannot be read', () => {
  it.each([
    ['result', { state: 'succeeded', result: null, arguments: read.arguments }],
    ['arguments', { state: 'succeeded', result: { content: [{ text: 'hi' }] }, arguments: {} }],
    ['state', { state: 'lost', result: { content: [{ text: 'hi' }] } }],
    ['door', { state: 'succeeded', result: { content: [{ text: 'hi' }] } }],
  ])('for its %s is shown without it, and so is its page', async (column, shown) => {
    const { key, stream, gateway, database } = await fixture.connected();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      await fixture.clock.settle(1);
      await call();
      ids.unshift(idOf(stream));
      await gateway.daemon.respond(key, idOf(stream), text('hi'));
    }
    const [, middle = 'none'] = ids;
    await harm(column, 'x')(middle).execute(database.db);
    expect(await gateway.calls.get('ada', middle)).toMatchObject({ ...shown, error: unreadable });
    const page = await gateway.calls.list('ada', { limit: 2 });
    expect(page.calls.map(({ requestId }) => requestId)).toEqual(ids.slice(0, 2));
    const rest = await gateway.calls.list('ada', { limit: 2, cursor: page.nextCursor ?? '' });
    expect(rest.calls.map(({ requestId }) => requestId)).toEqual(ids.slice(2));
  });
});

describe('PS-11 a stored question that cannot be read', () => {
  const asked = async () => {
    const { key, stream, gateway } = await fixture.connected();
    await call();
    const requestId = idOf(stream);
    await gateway.daemon.respond(key, requestId, question());
    return { key, requestId };
  };
  const harmQuestion = (column: string, value: string) =>
    sql`update confirmations set ${sql.ref(column)} = ${sql.lit(value)}`.execute(fixture.database.db);

  it.each([
    ['a text that is no JSON', 'payload', '{'],
    ['another shape', 'payload', '{"toolGroup":7}'],
    ['an unknown state', 'state', 'musing'],
    ['an unknown decision', 'decision', 'maybe'],
    ['an invalid time', 'expiresAt', 'later'],
  ])('for %s ends its call, which is not run', async (_name, column, value) => {
    const { key, requestId } = await asked();
    const { gateway: before } = fixture;
    await harmQuestion(column, value);
    expect(await before.confirmations.list('ada')).toEqual([]);
    await expect(before.confirmations.decide('ada', { requestId }, { approved: true })).rejects.toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    );
    await fixture.crash();
    expect(fixture.log).toEqual([
      { call: requestId, columns: ['confirmations'], sentence: 'a call has unreadable columns' },
    ]);
    expect(await fixture.gateway.calls.get('ada', requestId)).toMatchObject({
      state: 'lost',
      error: unreadable,
      confirmationId: null,
    });
    const stream = await fixture.openStream(key);
    await fixture.clock.settle();
    expect(stream.requests()).toEqual([]);
    const rows = await fixture.database.db.selectFrom('confirmations').select('state').execute();
    expect(rows).toEqual([{ state: 'withdrawn' }]);
  });

  it('that was answered is not sent with an unreadable answer', async () => {
    const { key, requestId } = await asked();
    await fixture.gateway.confirmations.decide('ada', { requestId }, { approved: true });
    await harmQuestion('payload', '{');
    await fixture.crash();
    const stream = await fixture.openStream(key);
    await fixture.clock.settle();
    expect(stream.requests()).toEqual([]);
    expect(await fixture.gateway.calls.get('ada', requestId)).toMatchObject({ state: 'lost' });
  });

  it('leaves the others on the list', async () => {
    const { key, stream, gateway } = await fixture.connected();
    await call();
    await call();
    const ids = stream.requests().map(({ requestId }) => requestId);
    for (const [at, id] of ids.entries())
      await gateway.daemon.respond(key, id, question({ askId: `ask-${at}` }));
    const [first = 'none', second] = ids;
    await sql`update confirmations set payload = '{' where "requestId" = ${first}`.execute(
      fixture.database.db,
    );
    expect(await gateway.confirmations.list('ada')).toMatchObject([{ requestId: second }]);
  });
});

describe('PS-11 a stored machine that cannot be read', () => {
  it.each([
    ['categories', sql`update machines set categories = '{'`],
    ['daemon', sql`update machines set daemon = '{"version":1}'`],
    ['problem', sql`update machines set problem = 'tired'`],
    ['tools', sql`update "toolLists" set tools = '[{]'`],
  ])('for its %s is there, and whole again when its daemon has announced itself', async (column, harmIt) => {
    const { key } = await fixture.connected();
    const machineId = (await machineOf(fixture.gateway, { userId: 'ada' }))?.ref.machineId;
    await harmIt.execute(fixture.database.db);
    await fixture.crash();
    expect(fixture.log).toEqual([
      { machine: machineId, columns: [column], sentence: 'a machine has unreadable columns' },
    ]);
    const { gateway, clock } = fixture;
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
      connected: true,
      state: 'grace',
    });
    await gateway.daemon.init(key, initBody());
    const stream = await openStream(gateway, key);
    void callerOf(gateway, 'ada')
      .run(read, ended)
      .catch(() => {});
    await clock.settle();
    expect(stream.requests()).toMatchObject([{ toolCall: read }]);
    await gateway.daemon.respond(key, idOf(stream), text('hi'));
    await fixture.crash();
    expect(fixture.log).toEqual([]);
    expect(await machineOf(fixture.gateway, { userId: 'ada' })).toMatchObject({ ref: { machineId } });
  });
});
