import type { ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import { expect, it } from 'vitest';
import { allow, denied } from '../../../test/asked.ts';
import {
  connect,
  ended,
  initBody,
  question,
  text,
  useGateway,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

/** Calls of `ada` on one machine, each with an open question. */
const ask = async (count: number) => {
  const { gateway, clock, key, stream } = await fixture.connected();
  const events: ConfirmationEvent[] = [];
  gateway.confirmations.onChanged('ada', (event) => void events.push(event));
  const calls = Array.from({ length: count }, (_, at) =>
    callerOf(gateway, 'ada').run({ name: 'write_file', arguments: { path: `${at}` } }, ended),
  );
  for (const call of calls) call.catch(() => {});
  await clock.settle();
  const ids = stream.requests().map(({ requestId }) => requestId);
  for (const [at, id] of ids.entries())
    await gateway.daemon.respond(key, id, question({ askId: `ask-${at}` }));
  const [first = 'none'] = ids;
  const covered = (outcome: 'allowed' | 'denied' = 'allowed') =>
    ids.map((requestId, at) => ({ requestId, askId: `ask-${at}`, outcome })).slice(1);
  return { gateway, clock, key, stream, calls, ids, first, covered, events };
};

it('CF-27 a lasting answer settles 19 other questions, each once and by the same person', async () => {
  const { gateway, key, stream, calls, ids, first, covered, events } = await ask(20);
  const [answered] = await gateway.confirmations.list('ada');
  await gateway.confirmations.decide('ada', { requestId: first }, allow('alwaysAllow'));
  const body = { by: first, questions: covered() };
  expect(await gateway.daemon.settled(key, body)).toBe(19);
  // The same once more, as after a lost reply, decides nothing.
  expect(await gateway.daemon.settled(key, body)).toBe(0);
  expect(await gateway.confirmations.list('ada')).toEqual([]);
  const sent = stream.requests().slice(21);
  expect(sent.map(({ requestId, askId, toolCall }) => [requestId, askId, toolCall.arguments])).toEqual(
    ids.slice(1).map((id, at) => [id, `ask-${at + 1}`, { path: `${at + 1}`, _confirmation: 'allowOnce' }]),
  );
  for (const id of ids) await gateway.daemon.respond(key, id, text('done'));
  const settled = await Promise.all(calls.slice(1));
  expect(new Set(settled.map((call) => `${call.state} ${call.decision} ${call.decidedBy}`))).toEqual(
    new Set(['succeeded allowOnce ada']),
  );
  const shown = events.filter(({ confirmation }) => confirmation.settledBy === answered?.id);
  expect(shown.map(({ confirmation }) => confirmation.requestId)).toEqual(ids.slice(1));
});

it('CF-27 a denial settles them as denied', async () => {
  const { gateway, key, calls, ids, first, covered, stream } = await ask(2);
  await gateway.confirmations.decide(
    'ada',
    { requestId: first },
    { approved: false, resourceDecision: 'alwaysDeny' },
  );
  expect(await gateway.daemon.settled(key, { by: first, questions: covered('denied') })).toBe(1);
  expect(stream.requests().at(-1)?.toolCall.arguments).toEqual({ path: '1', _confirmation: 'denyOnce' });
  for (const id of ids) await gateway.daemon.respond(key, id, text('no', { isError: true }));
  expect(await calls[1]).toMatchObject({ state: 'denied', decision: 'denyOnce', decidedBy: 'ada' });
});

it('CF-06 a human answer at the same moment wins or loses, and never both count', async () => {
  const { gateway, key, ids, first, covered, stream } = await ask(6);
  await gateway.confirmations.decide('ada', { requestId: first }, allow('alwaysAllow'));
  const human = ids.slice(1).map((requestId) => gateway.confirmations.decide('ada', { requestId }, denied));
  const [settled, ...answers] = await Promise.all([
    gateway.daemon.settled(key, { by: first, questions: covered() }),
    ...human.map((answer) => answer.then(() => 1).catch(() => 0)),
  ]);
  const won = answers.reduce((sum, one) => sum + one, 0);
  expect(settled + won).toBe(5);
  // What the human denied was never sent again.
  expect(stream.requests().length).toBe(6 + 1 + settled);
});

it.each<[string, (question: { requestId: string; askId: string }) => object]>([
  ['an earlier question of the call', (question) => ({ ...question, askId: 'ask-0' })],
  ['an unknown call', (question) => ({ ...question, requestId: 'none' })],
])('CF-27 %s is settled by nothing', async (_what, change) => {
  const { gateway, key, ids, covered } = await ask(2);
  const [one] = covered();
  if (!one) throw new Error('no question');
  const questions = [{ ...one, ...change(one) }];
  expect(await gateway.daemon.settled(key, { questions })).toBe(0);
  expect((await gateway.confirmations.list('ada')).map(({ requestId }) => requestId)).toEqual(ids);
});

it('CF-27 another machine settles none of them, of the same user or of another', async () => {
  const { gateway, key, covered } = await ask(2);
  const other = await connect(gateway, 'bob', initBody({ hostIdentifier: 'bob-laptop' }));
  expect(await gateway.daemon.settled(other.key, { questions: covered() })).toBe(0);
  expect(await gateway.confirmations.list('ada')).toHaveLength(2);
  const [, second] = await gateway.confirmations.list('ada');
  expect(await gateway.daemon.settled(key, { by: 'none', questions: covered() })).toBe(1);
  expect(await gateway.confirmations.get('ada', second?.id ?? '')).toMatchObject({ settledBy: 'rule' });
});
