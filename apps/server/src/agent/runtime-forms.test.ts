import type { RuntimeEvent } from '@drawbridge/contracts/machines/runtimes';
import { expect, it } from 'vitest';
import { nextCall } from '../../test/agent.ts';
import { openRuntimeWorld } from '../../test/runtimes.ts';

const asking: RuntimeEvent[] = [
  { type: 'session', session: 's1' },
  { type: 'action', n: 1, kind: 'form', title: 'Question' },
  {
    ...{ type: 'form', n: 1, message: 'Gemini CLI asks' },
    questions: [{ id: 'q1', question: 'Which?', type: 'single', options: ['red', 'blue'] }],
  },
];

it('RT-18 its own question is one of the chat; the answer is words, and reaches the machine that looks for it', async () => {
  const { say, choose, daemon, post, look, end, until, agent, userId, views, panel } =
    await openRuntimeWorld();
  await choose();
  await say('Paint it');
  const { requestId, toolCall } = await nextCall(daemon);
  expect(toolCall.arguments).toMatchObject({ asks: true });
  await post(requestId, 0, asking.slice(0, 2), { forms: [1] });
  expect(await post(requestId, 2, asking.slice(2), { forms: [1], output: '?' })).toMatchObject({
    turnEvents: 3,
  });
  await post(requestId, 0, asking);
  const ask = await until('confirmation-request');
  expect(ask.payload).toMatchObject({
    ...{ inputType: 'questions', message: 'Gemini CLI asks', toolName: 'runtime_action' },
    questions: [{ question: 'Which?' }],
  });
  const { view, folded } = await views();
  expect(view).toEqual(folded);
  expect(await agent.threads.asks(userId, 'thread')).toHaveLength(1);
  expect(await panel.agent.threads.list.query({})).toMatchObject({ threads: [{ waiting: 1 }], waiting: 1 });
  expect(await look(requestId)).toEqual({ ok: true });
  const answers = [{ questionId: 'q1', selectedOptions: ['blue'] }];
  await agent.confirm(userId, String(ask.payload.requestId), { kind: 'questions', answers });
  await until('confirmation-closed', ({ payload }) => payload.outcome === 'answered');
  expect(await look(requestId)).toEqual({ ok: true, answers: [{ n: 1, answers }] });
  expect(await look(requestId)).toEqual({ ok: true, answers: [{ n: 1, answers }] });
  await end(requestId, [...asking, { type: 'action-end', n: 1, status: 'completed', text: 'blue' }]);
  await until('run-finish', ({ payload }) => payload.status === 'completed');
  const after = await views();
  expect(after.view).toEqual(after.folded);
});

it('RT-19 a plan stands in the question about it', async () => {
  const { say, choose, daemon, post, until, views } = await openRuntimeWorld();
  await choose();
  await say('Paint it');
  const { requestId, toolCall } = await nextCall(daemon);
  expect(toolCall.arguments).toMatchObject({ asks: true, plans: true });
  await post(requestId, 0, [...asking.slice(0, 2), { ...asking[2], plan: '1. Red' } as RuntimeEvent]);
  expect((await until('confirmation-request')).payload).toMatchObject({ introMessage: '1. Red' });
  const { view, folded } = await views();
  expect(view).toEqual(folded);
});

it('RT-18 a form whose time is over has no answer, and takes none', async () => {
  const { say, choose, daemon, post, look, until, agent, userId } = await openRuntimeWorld({
    AGENT_ASK_TTL_MS: '1000',
  });
  await choose();
  await say('Paint it');
  const { requestId } = await nextCall(daemon);
  await post(requestId, 0, asking);
  const { payload } = await until('confirmation-request');
  await expect.poll(() => look(requestId)).toEqual({ ok: true, answers: [{ n: 1, answers: null }] });
  const late = agent.confirm(userId, String(payload.requestId), { kind: 'questions', answers: [] });
  await expect(late).rejects.toMatchObject({ code: 'CONFIRMATION_CLOSED' });
});

it('RT-18 a form that the program cancels, and one of a turn that ends or is stopped, is withdrawn', async () => {
  const { say, choose, daemon, post, look, end, until, agent, userId, events } = await openRuntimeWorld();
  await choose();
  const closed = async () =>
    (await events()).flatMap(({ event }) =>
      event.type === 'confirmation-closed' ? [event.payload.outcome] : [],
    );
  const begin = async (words: string) => {
    await say(words);
    const { requestId } = await nextCall(daemon);
    await post(requestId, 0, asking);
    expect(await agent.threads.asks(userId, 'thread')).toHaveLength(1);
    return requestId;
  };
  const first = await begin('One');
  const over: RuntimeEvent = { type: 'action-end', n: 1, status: 'denied', text: 'cancelled' };
  await post(first, 3, [over]);
  expect(await closed()).toEqual(['withdrawn']);
  expect(await look(first)).toEqual({ ok: true, answers: [{ n: 1, answers: null }] });
  await end(first, [...asking, over]);
  await until('run-finish');
  // It ends without a word about its form.
  await end(await begin('Two'), asking);
  await expect.poll(closed).toEqual(['withdrawn', 'withdrawn']);
  await begin('Three');
  await agent.cancel(userId, 'thread');
  await expect.poll(closed).toEqual(['withdrawn', 'withdrawn', 'withdrawn']);
  expect(await agent.threads.asks(userId, 'thread')).toEqual([]);
});
