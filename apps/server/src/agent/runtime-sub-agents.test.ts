import { personSender } from '@drawbridge/agent';
import type { RuntimeEvent } from '@drawbridge/contracts/machines/runtimes';
import { expect, it } from 'vitest';
import type { ScriptedRequest, Turn } from '../../../../e2e/agent/scripted-model.ts';
import { story, textOf, use } from '../../test/agent-turns.ts';
import { nextCall } from '../../test/agent.ts';
import { expectWhole, useTwoAgents } from '../../test/two-agents.ts';
import { npmQuestion, openRuntimeWorld, turnTool } from '../../test/runtimes.ts';

const child = (more: object = {}) =>
  use('delegate', { role: 'coder', instructions: 'Fix the lights', runtime: 'gemini', ...more });
const idIn = (request: ScriptedRequest) => /(?:sub-agent|task) (ag_[\w-]+)/.exec(textOf(request))?.[1] ?? '';
const send =
  (message: string, more: object = {}) =>
  (request: ScriptedRequest) =>
    use('send-to-sub-agent', { id: idIn(request), message, ...more });

type Next = Turn | ((request: ScriptedRequest) => Turn);

/** A chat whose model does that, step by step. */
const open = async (turns: Next[]) => {
  const world = await openRuntimeWorld(
    {},
    story((request, number) => {
      const next = turns[number - 1] ?? { text: 'Done.' };
      return typeof next === 'function' ? next(request) : next;
    }),
  );
  const { until, model } = world;
  let runs: (string | null)[] = [];
  return {
    ...world,
    /** What the model read last. */
    read: () => textOf(model.requests.at(-1)!),
    finish: async () => {
      const { runId } = await until('run-finish', (event) => !runs.includes(event.runId));
      runs = [...runs, runId];
    },
  };
};

const session: RuntimeEvent = { type: 'session', session: 's1' };
const asking = `000000002${'a'.repeat(22)}`;

it('RT-20 a coding agent answers a sub-agent over two runs; what it asks is asked in the chat', async () => {
  const world = await open([child(), { text: 'One.' }, send('And the doors'), { text: 'Two.' }]);
  const { say, daemon, post, end, until, views, finish, read, agent, userId, audited } = world;
  await say('go');
  const first = await nextCall(daemon);
  expect(first.toolCall).toEqual({
    name: 'runtime_turn',
    arguments: { runtime: 'gemini', prompt: 'Fix the lights', asks: true, plans: true },
  });
  const events: RuntimeEvent[] = [
    session,
    { type: 'action', n: 1, kind: 'execute', title: 'npm test' },
    { type: 'asked', n: 1, requestId: asking },
  ];
  await post(first.requestId, 0, events, {
    actions: [{ requestId: asking, arguments: { action: asking } }],
  });
  expect((await nextCall(daemon)).requestId).toBe(asking);
  await daemon.respond(asking, npmQuestion);
  const ask = await until('confirmation-request');
  const spawned = await until('agent-spawned', ({ payload }) => payload.kind === 'delegate');
  expect(spawned.payload).toMatchObject({ role: 'coder', runtime: 'gemini' });
  expect([ask.agentId, ask.payload.toolName]).toEqual([spawned.agentId, 'runtime_action']);
  await agent.confirm(userId, asking, { kind: 'resourceDecision', resourceDecision: 'allowOnce' });
  expect((await nextCall(daemon)).toolCall.arguments).toMatchObject({ _confirmation: 'allowOnce' });
  await daemon.respond(asking, { result: { content: [{ type: 'text', text: 'Allowed once' }] } });
  const rest: RuntimeEvent[] = [
    { type: 'action-end', n: 1, status: 'completed', text: 'passed' },
    { type: 'text', text: 'The lights are fixed.' },
  ];
  await end(first.requestId, [...events, ...rest], 99);
  await finish();
  // Its words are data to the agent that has asked it.
  expect(read()).toMatch(/<untrusted source=.{1,3}sub-agent[^]*The lights are fixed\./);
  const after = await views();
  expect(after.view).toEqual(after.folded);
  // The run is the model's: only its child was not.
  expect(after.view.runs[0]?.usage).not.toHaveProperty('runtime');

  await say('and then?');
  const second = await nextCall(daemon);
  expect(second.toolCall.arguments).toMatchObject({ prompt: 'And the doors', session: 's1' });
  await end(second.requestId, [session, { type: 'text', text: 'The doors too.' }]);
  await finish();
  expect(read()).toContain('The doors too.');
  const routes = audited().filter((line) => line['source'] === 'sub-agent');
  expect(routes).toEqual(Array(2).fill({ audit: 'backend.route', runtime: 'gemini', source: 'sub-agent' }));
  const last = await views();
  expect(last.view).toEqual(last.folded);
});

it('RT-20 it is listed and summarized, and one of them is cancelled alone', async () => {
  const world = await open([
    child(),
    use('list-sub-agents'),
    (request) => use('summarize-sub-agent', { id: idIn(request) }),
    { text: 'Ok.' },
    child({ instructions: 'Paint it' }),
    { text: 'Not painted.' },
    (request) => use('delete-sub-agent', { id: idIn(request) }),
  ]);
  const { say, command, daemon, end, post, finish, read, until, views, stored } = world;
  await say('go');
  await end((await nextCall(daemon)).requestId, [session, { type: 'text', text: 'Fixed.' }]);
  await finish();
  expect(read()).toMatch(/coder.{1,3}: completed, 1 turns/);
  expect(read()).toContain('Last asked: Fix the lights');

  await say('paint');
  const { requestId } = await nextCall(daemon);
  await post(requestId, 0, [session]);
  const spawned = await until('agent-spawned', ({ payload }) => payload.goal === 'Paint it');
  expect((await command(`/subagents cancel ${spawned.agentId}`)).answer).toContain('ancel');
  expect((await daemon.stream.next()).event).toMatchObject({
    ...{ type: 'tool-call-cancel', payload: { requestId } },
  });
  await finish();
  expect(await stored()).toContain('text-block Not painted.');
  await say('delete it');
  await finish();
  const { view, folded } = await views();
  expect(view).toEqual(folded);
});

it('RT-20 it is refused for a client without the scope and a webhook, and where no machine offers it', async () => {
  const refusals: [object, string, string | null, string][] = [
    [{}, 'token:t1', 'shell', 'a token needs the scope runtime'],
    [{}, 'hook:h1', null, 'a webhook starts none'],
    [{ runtime: 'codex' }, 'person', null, 'No connected machine offers codex (offered: gemini, opencode)'],
    [{ tools: ['fetch-url'] }, 'person', null, 'leave tools out'],
    [{ runtime: undefined, folder: 'src' }, 'person', null, 'A folder goes with a runtime'],
  ];
  const world = await open(refusals.flatMap(([more]) => [child(more), { text: 'No.' }]));
  const { agent, userId, read } = world;
  for (const [at, [, key, group, words]] of refusals.entries()) {
    const groups = group === null ? null : [group as 'shell'];
    const sender = { ...personSender(userId, 'rest'), key, groups };
    const { done } = await agent.lanes.send(sender, `chat${at}`, { text: 'go' });
    await done;
    expect(read()).toContain(words);
  }
  const { calls } = await world.panel.calls.list.query({});
  expect(calls).toEqual([]);
});

it('RT-20 a client without the scope gives no more work to one that the person began', async () => {
  const world = await open([{ text: 'Hi.' }, child(), { text: 'One.' }, send('And the doors')]);
  const { daemon, end, agent, userId, read, panel } = world;
  const person = personSender(userId, 'ws');
  const client = { ...person, key: 'token:t1', groups: ['shell' as const] };
  const go = async (sender: typeof person) => (await agent.lanes.send(sender, 'lane', { text: 'go' })).done;
  await go(client);
  const working = go(person);
  await end((await nextCall(daemon)).requestId, [session, { type: 'text', text: 'Fixed.' }]);
  await working;
  await go(client);
  expect(read()).toContain('a token needs the scope runtime');
  expect((await panel.calls.list.query({})).calls).toHaveLength(1);
});

const background = child({ background: true });

it('RT-20 in the background: what corrects it is its next turn, in the same conversation', async () => {
  const steer = send('Be quick', { when_busy: 'steer' });
  const world = await open([background, { text: 'Started.' }, steer, { text: 'Sent.' }]);
  const { say, daemon, end, post, finish, until, views } = world;
  await say('go');
  const first = await nextCall(daemon);
  await post(first.requestId, 0, [session]);
  await finish();
  await say('faster');
  await finish();
  await end(first.requestId, [session, { type: 'text', text: 'Slowly.' }]);
  const second = await nextCall(daemon);
  expect(second.toolCall.arguments).toMatchObject({ prompt: '[Correction] Be quick', session: 's1' });
  await end(second.requestId, [session, { type: 'text', text: 'Quick.' }]);
  const { payload } = await until(
    'agent-completed',
    (event) => event.agentId !== null && event.payload.result === 'Quick.',
  );
  expect(payload.status).toBe('completed');
  await finish();
  const { view, folded } = await views();
  expect(view).toEqual(folded);
});

it('RT-20 in the background: a message in its place stops its turn, and begins with what it knows', async () => {
  const interrupt = send('Now the doors', { when_busy: 'interrupt', background: true });
  const world = await open([background, { text: 'Started.' }, interrupt, { text: 'Sent.' }]);
  const { say, daemon, end, post, finish, until, views } = world;
  await say('go');
  const { requestId } = await nextCall(daemon);
  await post(requestId, 0, [session]);
  await finish();
  await say('leave it');
  expect((await daemon.stream.next()).event).toMatchObject({
    ...{ type: 'tool-call-cancel', payload: { requestId } },
  });
  const second = await nextCall(daemon);
  expect(second.toolCall.arguments).toMatchObject({ prompt: expect.stringMatching(/Now the doors$/) });
  await end(second.requestId, [session, { type: 'text', text: 'The doors.' }]);
  await until('agent-completed', ({ payload }) => payload.result === 'The doors.');
  await finish();
  const { view, folded } = await views();
  expect(view).toEqual(folded);
});

it('RT-13 RT-20 its server is killed: another one goes on, and its turn is given once', async () => {
  const world = await useTwoAgents(story([child(), { text: 'Done.' }, { text: 'Done.' }]));
  const { one, two, until, ends, ofType } = world;
  const requests: string[] = [];
  const key = await world.connect(two, [turnTool], ({ requestId }) => requests.push(requestId));
  await one.say('Go');
  await until(() => requests.length === 1);
  const requestId = requests[0] ?? '';
  const text: RuntimeEvent = { type: 'text', text: 'The lights are fixed.' };
  await two.gateway.daemon.progress(key, requestId, { turn: { from: 0, events: [session] } });
  one.suspend();
  const structuredContent = {
    ...{ runtime: 'gemini', session: 's1', stopReason: 'end_turn' },
    ...{ events: [session, text], tokens: 7 },
  };
  await two.gateway.daemon.respond(key, requestId, {
    result: { content: [{ type: 'text', text: text.text }], structuredContent },
  });
  await until(async () => (await ends()).length === 1);
  expect(await ends()).toEqual(['completed']);
  expect(requests).toEqual([requestId]);
  const completed = (await ofType('agent-completed')).map(
    ({ event: { payload } }) => 'result' in payload && payload.result,
  );
  expect(completed.filter((result) => result === text.text)).toHaveLength(1);
  await expectWhole(world);
});
