import { disconnectMachine, machineStatus } from '../../callers/index.ts';
import type { ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import type { Decision } from '@drawbridge/contracts/groups';
import { describe, expect, it, vi } from 'vitest';
import { allow, ask, denied } from '../../../test/asked.ts';
import { connect, openStream, question, text, useGateway } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const day = 24 * 60 * 60_000;

const error = (code: string) => ({ code });

describe('an answer to a confirmation', () => {
  it.each<[Decision, boolean]>([
    ['allowOnce', true],
    ['allowForSession', true],
    ['alwaysAllow', true],
    ['denyOnce', false],
    ['alwaysDeny', false],
  ])('CF-26 %s goes to the machine with the call', async (resourceDecision, approved) => {
    const { gateway, confirmationId, requestId, stream, key, running } = await ask(fixture);
    const won = { confirmationId, state: 'decided', approved, decision: resourceDecision };
    expect(
      await gateway.confirmations.decide('ada', { confirmationId }, { approved, resourceDecision }),
    ).toEqual(won);
    expect(stream.requests().map((request) => request.toolCall.arguments)).toEqual([
      { path: 'a.txt' },
      { path: 'a.txt', _confirmation: resourceDecision },
    ]);
    await gateway.daemon.respond(
      key,
      requestId,
      approved ? text('done') : text('refused', { isError: true }),
    );
    expect(await running).toMatchObject({
      state: approved ? 'succeeded' : 'denied',
      decision: resourceDecision,
      decidedBy: 'ada',
      door: 'mcp',
    });
  });

  it('CF-24 denied without a decision ends the call, and the machine is not called again', async () => {
    const { gateway, confirmationId, requestId, stream, running } = await ask(fixture);
    const won = { confirmationId, state: 'decided', approved: false, decision: null };
    expect(await gateway.confirmations.decide('ada', { confirmationId }, denied)).toEqual(won);
    expect(await running).toMatchObject({
      state: 'denied',
      error: { code: 'DENIED', message: 'Access denied by the user' },
      started: false,
      decision: null,
      decidedBy: 'ada',
    });
    expect(stream.events.slice(1)).toEqual([
      { type: 'tool-call-cancel', payload: { requestId, reason: 'user' } },
    ]);
  });

  it.each<[string, ConfirmationAnswer, string[], string]>([
    ['not offered', allow('alwaysAllow'), ['allowOnce'], 'DECISION_NOT_OFFERED'],
    ['approved, with once not offered', allow(), ['alwaysAllow'], 'DECISION_NOT_OFFERED'],
    ['an unknown option of the machine', allow(), ['ALLOW', 'yes'], 'DECISION_NOT_OFFERED'],
    ['against itself', allow('denyOnce'), ['allowOnce', 'denyOnce'], 'BAD_REQUEST'],
  ])('CF-03 %s is refused and leaves it open', async (_name, answer, options, code) => {
    const { gateway, confirmationId } = await ask(fixture, { body: question({ options }) });
    await expect(gateway.confirmations.decide('ada', { confirmationId }, answer)).rejects.toMatchObject(
      error(code),
    );
    expect(await gateway.confirmations.list('ada')).toHaveLength(1);
    expect(await gateway.confirmations.decide('ada', { confirmationId }, denied)).toMatchObject({
      approved: false,
    });
  });

  it('CF-06 of many answers at once one wins, and the others are told which', async () => {
    const { gateway, confirmationId, requestId, stream, running, key } = await ask(fixture);
    const answers = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0 ? allow('allowOnce') : denied,
    );
    const all = await Promise.allSettled(
      answers.map((answer) => gateway.confirmations.decide('ada', { confirmationId }, answer)),
    );
    const [winner, ...others] = all.toSorted((a, b) => a.status.localeCompare(b.status));
    expect(winner).toMatchObject({ status: 'fulfilled', value: { decision: 'allowOnce' } });
    const reason = expect.objectContaining({
      code: 'ALREADY_DECIDED',
      message: 'This confirmation has been answered already: allowOnce',
    });
    expect(others).toEqual(Array.from({ length: 99 }, () => ({ status: 'rejected', reason })));
    expect(stream.requests()).toHaveLength(2);
    await gateway.daemon.respond(key, requestId, text('done'));
    await running;
    await expect(gateway.confirmations.decide('ada', { requestId }, allow())).rejects.toMatchObject(
      error('ALREADY_DECIDED'),
    );
  });

  it.each([
    ['another user', 'ben'],
    ['the environment', 'env-gateway'],
  ])('CF-08 of %s is for an unknown one', async (_name, userId) => {
    const { gateway, confirmationId, requestId, stream } = await ask(fixture);
    for (const key of [
      { confirmationId },
      { requestId },
      { confirmationId: 'unknown' },
      { requestId: 'unknown' },
    ]) {
      await expect(gateway.confirmations.decide(userId, key, allow())).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'Not found',
      });
    }
    expect(await gateway.confirmations.list(userId)).toEqual([]);
    expect(stream.requests()).toHaveLength(1);
  });
});

describe('a confirmation without an answer', () => {
  it('CF-09 expires after 24 hours as denied', async () => {
    const { gateway, clock, confirmationId, running, stream, requestId } = await ask(fixture);
    await clock.settle(day - 1);
    expect(await gateway.confirmations.list('ada')).toHaveLength(1);
    await clock.settle(1);
    expect(await running).toMatchObject({ state: 'denied', error: { code: 'DENIED' }, started: false });
    expect(stream.events.at(-1)).toEqual({
      type: 'tool-call-cancel',
      payload: { requestId, reason: 'timeout' },
    });
    await expect(gateway.confirmations.decide('ada', { confirmationId }, allow())).rejects.toMatchObject(
      error('CONFIRMATION_CLOSED'),
    );
    expect(stream.requests()).toHaveLength(1);
  });

  it('CF-09 an expired question cannot be answered, even before its timer runs', async () => {
    const { gateway, database, confirmationId, clock, stream } = await ask(fixture);
    await database.db.updateTable('confirmations').set({ expiresAt: clock.now() }).execute();
    await expect(gateway.confirmations.decide('ada', { confirmationId }, allow())).rejects.toMatchObject(
      error('CONFIRMATION_CLOSED'),
    );
    expect(stream.requests()).toHaveLength(1);
  });

  it('CF-09 that was refused as expired stays so when the clock steps back', async () => {
    const { gateway, database, confirmationId, clock, running, stream } = await ask(fixture);
    const asked = clock.now();
    const now = vi.spyOn(clock, 'now').mockReturnValue(asked + day);
    const decide = () => gateway.confirmations.decide('ada', { confirmationId }, allow());
    await expect(decide()).rejects.toMatchObject(error('CONFIRMATION_CLOSED'));
    now.mockReturnValue(asked);
    await expect(decide()).rejects.toMatchObject(error('CONFIRMATION_CLOSED'));
    expect(await running).toMatchObject({ state: 'denied' });
    const rows = await database.db.selectFrom('confirmations').select('state').execute();
    expect([rows, stream.requests().length]).toEqual([[{ state: 'expired' }], 1]);
  });

  it.each([
    ['a moment before', day - 1],
    ['in the same turn', day],
    ['a moment after', day + 1],
  ])('CF-09 a click and the end of its time, %s: one of them counts', async (_when, afterMs) => {
    const { gateway, clock, confirmationId, running, stream, key, requestId } = await ask(fixture);
    await clock.settle(day - 2);
    const [click] = await Promise.allSettled([
      gateway.confirmations.decide('ada', { confirmationId }, allow()),
      clock.settle(afterMs - (day - 2)),
    ]);
    const executed = stream.requests().length - 1;
    expect(executed).toBe(click.status === 'fulfilled' ? 1 : 0);
    if (executed === 1) await gateway.daemon.respond(key, requestId, text('done'));
    const ended = await running;
    expect(ended.state).toBe(executed === 1 ? 'succeeded' : 'denied');
    const late = executed === 1 ? 'ALREADY_DECIDED' : 'CONFIRMATION_CLOSED';
    await expect(gateway.confirmations.decide('ada', { confirmationId }, allow())).rejects.toMatchObject(
      error(late),
    );
    expect(await gateway.calls.get('ada', requestId)).toEqual(ended);
    expect(stream.requests()).toHaveLength(1 + executed);
  });

  it.each<[string, (all: Awaited<ReturnType<typeof ask>>) => Promise<unknown>, string]>([
    [
      'the call is cancelled',
      ({ gateway, requestId }) => gateway.calls.cancel('ada', requestId),
      'cancelled',
    ],
    ['the user disconnects', ({ gateway }) => disconnectMachine(gateway, { userId: 'ada' }), 'failed'],
    ['the daemon disconnects', ({ gateway, key }) => gateway.daemon.disconnect(key), 'failed'],
    [
      'another machine takes the place',
      ({ gateway }) => disconnectMachine(gateway, { userId: 'ada' }).then(() => connect(gateway, 'ada')),
      'failed',
    ],
    [
      'the daemon ends the call itself',
      ({ gateway, key, requestId }) => gateway.daemon.respond(key, requestId, text('x', { isError: true })),
      'failed',
    ],
  ])('CF-10 is withdrawn when %s', async (_name, happen, state) => {
    const all = await ask(fixture);
    const { gateway, confirmationId, running, clock } = all;
    const seen: string[] = [];
    gateway.confirmations.onChanged('ada', ({ confirmation }) => seen.push(confirmation.state));
    await happen(all);
    expect(await running).toMatchObject({ state, confirmationId: null });
    await expect(gateway.confirmations.decide('ada', { confirmationId }, allow())).rejects.toMatchObject(
      error('CONFIRMATION_CLOSED'),
    );
    expect(await gateway.confirmations.list('ada')).toEqual([]);
    await clock.settle();
    expect(seen).toEqual(['withdrawn']);
  });

  it('outlives a dropped connection; the decision waits for the machine', async () => {
    const { gateway, clock, confirmationId, running, stream, key, requestId } = await ask(fixture);
    stream.drop();
    await clock.settle(60_000);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ connected: false });
    await gateway.confirmations.decide('ada', { confirmationId }, allow('allowOnce'));
    await clock.settle(9 * 60_000);
    const next = await openStream(gateway, key);
    await clock.settle();
    expect(next.requests().map((request) => request.toolCall.arguments)).toEqual([
      { path: 'a.txt', _confirmation: 'allowOnce' },
    ]);
    await gateway.daemon.respond(key, requestId, text('done'));
    expect(await running).toMatchObject({ state: 'succeeded' });
  });

  it('a decision for an offline machine expires with the longest time of a call', async () => {
    const { gateway, clock, confirmationId, running, stream } = await ask(fixture);
    stream.drop();
    await gateway.confirmations.decide('ada', { confirmationId }, allow('allowOnce'));
    await clock.settle(10 * 60_000 - 1);
    expect((await gateway.calls.list('ada', { limit: 1 })).calls).toMatchObject([{ state: 'pending' }]);
    await clock.settle(1);
    expect(await running).toMatchObject({ state: 'timed-out' });
  });
});
