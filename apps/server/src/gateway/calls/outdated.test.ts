import { expect, it } from 'vitest';
import { callerOf, ended, idOf, text, useGateway } from '../../../test/gateway-fixture.ts';
import { ask, allow } from '../../../test/asked.ts';

const fixture = useGateway();

/** Another server ends the call: it writes the row, and no message reaches this server. */
const endElsewhere = () =>
  fixture.database.db
    .updateTable('calls')
    .set(({ eb }) => ({ state: 'cancelled', endedAt: 1, rev: eb('rev', '+', 1) }))
    .execute();

it('the end that another server has stored is the one that the caller gets', async () => {
  const { gateway, clock, key, stream } = await fixture.connected();
  const running = callerOf(gateway, 'ada').run({ name: 'write_file', arguments: {} }, ended);
  await clock.settle();
  await endElsewhere();
  await expect(gateway.daemon.respond(key, idOf(stream), text('written'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await running).toMatchObject({ state: 'cancelled', result: null });
  expect(await gateway.calls.get('ada', idOf(stream))).toMatchObject({ state: 'cancelled', result: null });
});

it('a question that another server answers at the same moment is answered once', async () => {
  const { gateway, database, confirmationId, running, stream } = await ask(fixture);
  const deciding = gateway.confirmations.decide('ada', { confirmationId }, allow());
  // Runs between the reading of the question and the writing of the answer.
  const refused = { state: 'decided', approved: 0 } as const;
  await Promise.all([
    expect(deciding).rejects.toMatchObject({ code: 'ALREADY_DECIDED' }),
    database.db.updateTable('confirmations').set(refused).execute(),
    endElsewhere(),
  ]);
  expect(await running).toMatchObject({ state: 'cancelled' });
  expect(stream.requests()).toHaveLength(1);
});

it('a call that another server has moved is cancelled as it is stored, with its question', async () => {
  const { gateway, database, clock, stream } = await fixture.connected();
  const running = callerOf(gateway, 'ada').run({ name: 'write_file', arguments: {} }, ended);
  await clock.settle();
  const call = await database.db.selectFrom('calls').selectAll().executeTakeFirstOrThrow();
  const asked = { toolGroup: 'shell', resource: 'ls', description: 'ls', resources: [], options: [] };
  const { requestId, userId, machineId } = call;
  const row = { id: 'asked-elsewhere', requestId, userId, machineId, questionDigest: 'd', state: 'open' };
  const payload = JSON.stringify({ ...asked, askId: null, preview: null });
  const times = { createdAt: clock.now(), expiresAt: clock.now() + 60_000 };
  await database.db
    .insertInto('confirmations')
    .values({ ...row, ...times, payload })
    .execute();
  await database.db
    .updateTable('calls')
    .set({ state: 'awaiting-confirmation', confirmationId: row.id, rev: call.rev + 1 })
    .execute();
  await gateway.calls.cancel('ada', idOf(stream));
  expect(await running).toMatchObject({ state: 'cancelled' });
  expect(await gateway.confirmations.get('ada', row.id)).toMatchObject({ state: 'withdrawn' });
});
