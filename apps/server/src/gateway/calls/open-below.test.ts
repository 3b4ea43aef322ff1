import { expect, it } from 'vitest';
import {
  callerOf,
  ended,
  idOf,
  initBody,
  question,
  text,
  useGateway,
} from '../../../test/gateway-fixture.ts';
import { machineStatus } from '../../callers/index.ts';
import type { Gateway } from '../index.ts';

const fixture = useGateway();
const via = { kind: 'token', id: 't1', name: 'One' } as const;
const turn = { name: 'runtime_turn', arguments: { runtime: 'gemini', prompt: 'x' } };
const childId = `000000001${'a'.repeat(22)}`;
const action = { requestId: childId, arguments: { command: 'npm test', _confirmation: 'allowOnce' } };

/** A turn that the machine has, made with a token. */
const open = async (call = turn) => {
  const tools = [call.name].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const world = await fixture.connected({}, initBody({ tools }));
  const { gateway, clock, stream, key } = world;
  const running = callerOf(gateway, 'ada').run(call, { ...ended, door: 'mcp', via });
  running.catch(() => undefined);
  await clock.settle();
  const parent = idOf(stream);
  const ask = async () => {
    const reply = await gateway.daemon.progress(key, parent, { actions: [action] });
    await clock.settle();
    return reply;
  };
  return { ...world, running, parent, ask };
};

it('RT-02 a request of a coding agent is a call of its own, for the maker of its turn; a repeat is the same call', async () => {
  const { gateway, stream, parent, ask } = await open();
  expect([await ask(), await ask()]).toEqual([{ ok: true }, { ok: true }]);
  expect(stream.requests().slice(1)).toEqual([
    expect.objectContaining({
      requestId: childId,
      toolCall: { name: 'runtime_action', arguments: { command: 'npm test', turn: parent } },
    }),
  ]);
  expect(await gateway.calls.get('ada', childId)).toMatchObject({ door: 'mcp', via, subject: 'npm test' });
});

const denialReason = 'not on a Friday';
const refusal = { approved: false, reason: denialReason };
const stop = { type: 'tool-call-cancel', payload: { requestId: childId, reason: 'user', denialReason } };

it('RT-03 its question is a confirmation, and the machine learns why its person denied it', async () => {
  const { gateway, clock, stream, key, ask } = await open();
  await ask();
  await gateway.daemon.respond(key, childId, question());
  await gateway.confirmations.decide(
    'ada',
    { requestId: childId },
    { ...refusal, resourceDecision: 'denyOnce' },
  );
  await clock.settle();
  expect(stream.requests().at(-1)).toMatchObject({ requestId: childId, denialReason });
});

it('RT-03 one that was denied without a decision, or while the machine was away, is told until it reports', async () => {
  const { gateway, clock, stream, key, ask } = await open();
  await ask();
  await gateway.daemon.respond(key, childId, question());
  stream.drop();
  await gateway.confirmations.decide('ada', { requestId: childId }, refusal);
  await clock.settle();
  const back = await fixture.openStream(key);
  await clock.settle();
  expect(back.events).toContainEqual(stop);
  await gateway.daemon.respond(key, childId, text('cancelled', { isError: true }));
  expect(await gateway.calls.get('ada', childId)).toMatchObject({ state: 'denied', denialReason });
  const later = await fixture.openStream(key);
  await clock.settle();
  expect(later.events).not.toContainEqual(stop);
});

it('RT-11 only a turn opens calls, and only while it is open', async () => {
  const other = await open({ ...turn, name: 'write_file' });
  await expect(other.ask()).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('RT-11 a turn that has ended opens none', async () => {
  const { gateway, key, parent, running, ask } = await open();
  await gateway.daemon.respond(key, parent, text('done'));
  await running;
  await expect(ask()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('a turn has four hours, where any other call has ten minutes', async () => {
  const { clock, gateway, key, parent, running } = await open();
  for (let minutes = 0; minutes < 60; minutes += 1) {
    for (let beat = 0; beat < 3; beat += 1) {
      await clock.settle(20_000);
      await gateway.daemon.progress(key, parent, { message: 'works' });
    }
  }
  await gateway.daemon.respond(key, parent, text('done'));
  expect(await running).toMatchObject({ state: 'succeeded' });
});

it('RT-18 the form of a turn that no chat shows is declined at once', async () => {
  const { gateway, key, parent } = await open();
  gateway.calls.onTurn(async () => ({ answers: [] }));
  expect(await gateway.daemon.progress(key, parent, { forms: [1, 2] })).toEqual({
    ok: true,
    answers: [1, 2].map((n) => ({ n, answers: null })),
  });
});

const stateOf = async (gateway: Gateway, requestId: string) =>
  (await gateway.calls.get('ada', requestId))?.state;
const awayMs = 90_000;

it('11 a turn goes on while its machine is away, and its question appears as soon as that is back', async () => {
  const { gateway, clock, stream, key, parent, running, ask } = await open();
  await ask();
  await gateway.daemon.respond(key, childId, question());
  stream.drop();
  await clock.settle(awayMs);
  expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
  expect([await stateOf(gateway, parent), await stateOf(gateway, childId)]).toEqual([
    'delivered',
    'awaiting-confirmation',
  ]);
  // It is back; what it has asked for meanwhile is taken as soon as the answer can reach it.
  const later = { ...action, requestId: `000000001${'b'.repeat(22)}` };
  const post = () => gateway.daemon.progress(key, parent, { actions: [later] });
  await expect(post()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  const back = await fixture.openStream(key);
  await post();
  await clock.settle();
  const sent = back.requests().map(({ requestId, again }) => [requestId, again]);
  expect(sent.toSorted()).toEqual(
    [
      [later.requestId, undefined],
      [parent, true],
    ].toSorted(),
  );
  await gateway.daemon.respond(key, parent, text('done'));
  expect(await running).toMatchObject({ state: 'succeeded' });
});

it('11 what a turn asks for outlives the grace of its machine, and is sent once it has a stream', async () => {
  const { gateway, clock, stream, ask } = await open();
  stream.drop();
  await ask();
  await clock.settle(awayMs);
  expect(await stateOf(gateway, childId)).toBe('pending');
});

it('11 a turn ends three minutes after the last word of its machine, which is told so when it is back', async () => {
  const { gateway, clock, stream, key, parent, running } = await open();
  await gateway.daemon.progress(key, parent, { message: 'works' });
  stream.drop();
  await clock.settle(179_999);
  expect(await stateOf(gateway, parent)).toBe('delivered');
  await clock.settle(1);
  expect(await running).toMatchObject({ state: 'timed-out' });
  const back = await fixture.openStream(key);
  await clock.settle();
  const payload = { requestId: parent, reason: 'timeout' };
  expect(back.events).toContainEqual({ type: 'tool-call-cancel', payload });
});

it.each([
  ['that has ended says so', (gateway: Gateway, key: string) => gateway.daemon.leave(key)],
  ['is disconnected', (gateway: Gateway, key: string) => gateway.daemon.disconnect(key)],
])('11 a turn ends at once when its daemon %s', async (_name, end) => {
  const { gateway, clock, key, parent, running } = await open();
  await end(gateway, key);
  await clock.settle();
  expect(await running).toMatchObject({ state: 'failed', error: { code: 'DISCONNECTED' } });
  expect(await stateOf(gateway, parent)).toBe('failed');
});

it('11 a call that is no turn ends with the grace of its machine', async () => {
  const { clock, stream, running } = await open({ ...turn, name: 'write_file' });
  stream.drop();
  await clock.settle(10_000);
  expect(await running).toMatchObject({ state: 'failed', error: { code: 'DISCONNECTED' } });
});

it('11 a turn of before a restart of the server waits as long for its machine', async () => {
  const { clock, parent } = await open();
  await fixture.crash();
  await clock.settle(60_000 + 179_999);
  expect(await stateOf(fixture.gateway, parent)).toBe('delivered');
  await clock.settle(1);
  expect(await stateOf(fixture.gateway, parent)).toBe('timed-out');
});
