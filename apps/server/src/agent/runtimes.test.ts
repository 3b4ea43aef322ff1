import { personSender } from '@drawbridge/agent';
import type { RuntimeEvent } from '@drawbridge/contracts/machines/runtimes';
import { expect, it } from 'vitest';
import { machineQuestion, nextCall } from '../../test/agent.ts';
import { npmQuestion, noModel, openRuntimeWorld } from '../../test/runtimes.ts';

const said: RuntimeEvent[] = [
  { type: 'session', session: 's1' },
  { type: 'thought', text: 'hm' },
  { type: 'text', text: 'On it.' },
  { type: 'plan', items: [{ text: 'test', status: 'in_progress' }] },
  { type: 'action', n: 1, kind: 'execute', title: 'npm test' },
  { type: 'action-end', n: 1, status: 'completed', text: 'passed' },
  { type: 'text', text: 'Done.' },
];

it('RT-13 a coding agent answers a chat on a server without a model; each event is stored once', async () => {
  const { say, choose, daemon, post, end, until, views, stored, panel, agent, userId } =
    await openRuntimeWorld(noModel);
  expect(await panel.agent.status.query()).toEqual({ module: true, enabled: true, model: null });
  const choices = await panel.agent.runtimes.query({ threadId: 'thread' });
  expect(choices).toMatchObject({ chosen: null, byDefault: null, hasModel: false });
  expect(choices.options.map(({ id, machine, state }) => [id, machine, state])).toEqual([
    ['gemini', 'desk', 'ready'],
    ['opencode', 'desk', 'ready'],
  ]);
  expect(await choose()).toEqual({ answer: 'Runtime: gemini on desk, chosen in this chat.' });
  await say('Test it');
  const { requestId, toolCall } = await nextCall(daemon);
  const args = { runtime: 'gemini', prompt: 'Test it', asks: true, plans: true };
  expect(toolCall).toEqual({ name: 'runtime_turn', arguments: args });
  expect(await post(requestId, 0, said.slice(0, 3))).toEqual({ ok: true, turnEvents: 3 });
  // A repeat, and one after a gap.
  expect(await post(requestId, 1, said.slice(1, 4))).toEqual({ ok: true, turnEvents: 4 });
  expect(await post(requestId, 5, said.slice(5, 6))).toEqual({ ok: true, turnEvents: 4 });
  await end(requestId, said, 1234);
  await until('run-finish');
  expect(await stored()).toEqual([
    'run-start',
    'user-message Test it',
    'agent-spawned',
    'thread-title-updated',
    'tool-call',
    'reasoning-block hm',
    'text-block On it.',
    'tasks-update',
    'tool-result The coding agent has ended its turn.',
    'tool-call',
    'tool-result passed',
    'text-block Done.',
    'agent-completed Done.',
    'run-finish completed',
  ]);
  const { view, folded } = await views();
  expect(view).toEqual(folded);
  expect(view.runs[0]?.usage).toMatchObject({ inputTokens: 0, runtime: { id: 'gemini', tokens: 1234 } });

  // Where its machine goes away, the chat says what its person can do.
  await say('Test it again');
  await post((await nextCall(daemon)).requestId, 0, said.slice(0, 3));
  const machineId = String(choices.options[0]?.machineId);
  await panel.machines.disconnect.mutate({ machineId });
  expect((await until('error')).payload).toMatchObject({
    code: 'RUNTIME_FAILED',
    content: expect.stringMatching(/^The machine disconnected, .* Run there: drawbridge connect\. /),
  });
  await agent.continue(personSender(userId, 'trpc'), 'thread');
  const { payload } = await until('error', (one) => one.payload.code === 'RUNTIME_UNAVAILABLE');
  expect(payload.content).toBe('The machine desk is not connected. Run there: drawbridge connect');
});

it('what an action asks is a question of the chat, which the person answers once', async () => {
  const { say, choose, daemon, post, end, until, agent, userId, views, audited } = await openRuntimeWorld();
  await choose();
  await say('Test it');
  const { requestId } = await nextCall(daemon);
  const asking = `000000001${'a'.repeat(22)}`;
  const events: RuntimeEvent[] = [
    { type: 'session', session: 's1' },
    { type: 'action', n: 1, kind: 'execute', title: 'npm test' },
    { type: 'asked', n: 1, requestId: asking },
  ];
  await post(requestId, 0, events, { actions: [{ requestId: asking, arguments: { action: asking } }] });
  expect((await nextCall(daemon)).requestId).toBe(asking);
  await daemon.respond(asking, npmQuestion);
  const ask = await until('confirmation-request');
  expect(ask.payload).toMatchObject({
    requestId: asking,
    message: 'Run npm test',
    toolName: 'runtime_action',
  });
  expect(await agent.threads.asks(userId, 'thread')).toMatchObject([ask.payload]);
  const { view, folded } = await views();
  expect(view).toEqual(folded);
  await agent.confirm(userId, asking, {
    kind: 'resourceDecision',
    resourceDecision: 'allowOnce',
  });
  const answered = await nextCall(daemon);
  expect(answered.toolCall.arguments).toMatchObject({ _confirmation: 'allowOnce' });
  await until('confirmation-closed');
  await daemon.respond(asking, { result: { content: [{ type: 'text', text: 'Allowed once' }] } });
  const rest: RuntimeEvent[] = [
    { type: 'action-end', n: 1, status: 'completed', text: 'passed' },
    { type: 'action', n: 2, kind: 'other', title: 'without an end' },
  ];
  await end(requestId, [...events, ...rest], 1234);
  await until('run-finish');
  const after = await views();
  expect(after.view).toEqual(after.folded);
  expect(after.view.asks).toEqual({});
  const calls = Object.values(after.view.calls).map(({ toolName, result }) => `${toolName}: ${result}`);
  expect(calls.toSorted()).toEqual([
    'runtime_action: The coding agent did not say how this ended.',
    'runtime_action: passed',
    'runtime_turn: The coding agent has ended its turn.',
  ]);
  await expect.poll(audited).toEqual([
    { audit: 'backend.route', runtime: 'gemini', source: 'thread' },
    { audit: 'backend.success', runtime: 'gemini', tokens: 1234, actions: 2, asked: 1 },
  ]);
});

it('RT-06 stops the turn, keeps also what it was just writing, and the next message continues its conversation', async () => {
  const { say, choose, daemon, post, end, fail, until, agent, userId, stored, audited } =
    await openRuntimeWorld();
  await choose();
  await say('Test it');
  const { requestId } = await nextCall(daemon);
  await post(requestId, 0, said.slice(0, 5));
  const writing = (text: string, offset: number) =>
    post(requestId, 5, [], { turn: { from: 5, events: [], text: { type: 'text', text, offset } } });
  await writing('And the ', 0);
  await writing('lights', 8);
  await agent.cancel(userId, 'thread');
  expect((await daemon.stream.next()).event).toMatchObject({
    type: 'tool-call-cancel',
    payload: { requestId },
  });
  expect((await stored()).slice(-8)).toEqual([
    'text-block On it.',
    'tasks-update',
    'tool-call',
    'text-block And the lights',
    'tool-interrupted',
    'tool-interrupted',
    'agent-completed',
    'run-finish cancelled',
  ]);
  await say('Go on');
  const next = await nextCall(daemon);
  expect(next.toolCall.arguments).toMatchObject({ prompt: 'Go on', session: 's1' });
  // The machine has forgotten the conversation: a new one begins with the end of the chat.
  await fail(next.requestId, 'RUNTIME_UNAVAILABLE: This session is not known here');
  const again = await nextCall(daemon);
  expect(again.toolCall.arguments).not.toHaveProperty('session');
  expect(again.toolCall.arguments['prompt']).toMatch(
    /Person: Test it\n.*On it\.\nCoding agent: And the lights\n\[The message now:\]\nGo on$/s,
  );
  await end(again.requestId, said.slice(0, 3));
  await until('run-finish', ({ payload }) => payload.status === 'completed');
  const notices = (await stored()).filter((one) => one.startsWith('notice'));
  expect(notices).toEqual([expect.stringContaining('could not be continued: a new one begins')]);
  await expect
    .poll(() => audited().filter((line) => line['audit'] !== 'backend.route'))
    .toEqual([
      { audit: 'backend.end', runtime: 'gemini', outcome: 'cancelled', code: null },
      { audit: 'backend.success', runtime: 'gemini', tokens: null, actions: 0, asked: 0 },
    ]);
});

it('a turn that its person was asked about is not tried again, and so not asked about twice', async () => {
  const { say, choose, daemon, end, fail, until, agent, userId, audited } = await openRuntimeWorld();
  await choose();
  await say('Test it');
  await end((await nextCall(daemon)).requestId, said.slice(0, 3));
  await until('run-finish');
  await say('Go on');
  const { requestId, toolCall } = await nextCall(daemon);
  expect(toolCall.arguments).toMatchObject({
    ...{ prompt: 'Go on', session: 's1' },
    earlier: expect.stringMatching(/Person: Test it\n.*On it\.\n\[The message now:\]\n$/s),
  });
  await daemon.respond(requestId, machineQuestion);
  const ask = await until('confirmation-request');
  await agent.confirm(userId, String(ask.payload.requestId), {
    kind: 'resourceDecision',
    resourceDecision: 'allowOnce',
  });
  expect((await nextCall(daemon)).requestId).toBe(requestId);
  await fail(requestId, 'RUNTIME_MISMATCH: It left its mode');
  expect((await until('error')).payload).toMatchObject({
    ...{ code: 'RUNTIME_MISMATCH', content: 'It left its mode' },
  });
  await until('run-finish', ({ payload }) => payload.status === 'error');
  await expect
    .poll(() => audited().slice(-2))
    .toEqual([
      { audit: 'backend.mismatch', runtime: 'gemini', requestId },
      { audit: 'backend.end', runtime: 'gemini', outcome: 'error', code: 'RUNTIME_MISMATCH' },
    ]);
});

it('RT-15 a chosen one that fails ends the run with its code; a listed one falls back before it has begun', async () => {
  const { command, say, choose, daemon, fail, until, post, model, stored, audited, agent, userId } =
    await openRuntimeWorld({
      RUNTIME_BACKENDS: 'codex,gemini,native',
    });
  await say('Hello');
  const { requestId } = await nextCall(daemon);
  await fail(requestId, 'RUNTIME_SIGN_IN: It is not signed in');
  await until('run-finish', ({ payload }) => payload.status === 'completed');
  expect(await stored()).toContain(
    'notice gemini could not answer: RUNTIME_SIGN_IN: It is not signed in The built-in agent answers.',
  );
  expect(await stored()).toContain('text-block From the model.');

  await expect.poll(audited).toEqual([
    { audit: 'backend.route', runtime: 'codex', source: 'config' },
    { audit: 'backend.fallback', from: 'codex', to: 'gemini', code: 'RUNTIME_UNAVAILABLE' },
    { audit: 'backend.fallback', from: 'gemini', to: 'native', code: 'RUNTIME_SIGN_IN' },
    { audit: 'backend.success', runtime: 'native', tokens: expect.any(Number), actions: null, asked: null },
  ]);

  // Once it has the task nothing answers in its place.
  await say('And now?');
  const begun = await nextCall(daemon);
  // It reads what the built-in agent has answered meanwhile.
  const words = String(begun.toolCall.arguments['prompt']);
  expect(words).toMatch(/Person: Hello\nAssistant: From the model\.\n\[The message now:\]\nAnd now\?$/);
  const text = { type: 'text', text: 'Just wri', offset: 0 };
  await post(begun.requestId, 0, [], { turn: { from: 0, events: said.slice(0, 4), text } });
  await fail(begun.requestId, 'RUNTIME_FAILED: It ended');
  expect((await until('error')).payload).toMatchObject({ code: 'RUNTIME_FAILED', content: 'It ended' });

  expect(await stored()).toContain('text-block Just wri');

  // Nor in the place of one that was chosen.
  await choose();
  await say('And you?');
  await fail((await nextCall(daemon)).requestId, 'RUNTIME_SIGN_IN: It is not signed in');
  const again = await nextCall(daemon);
  await fail(again.requestId, 'RUNTIME_SIGN_IN: It is not signed in');
  const refused = await until('error', ({ payload }) => payload.code === 'RUNTIME_SIGN_IN');
  expect(refused.payload.content).toBe('It is not signed in');
  expect(audited().filter((line) => line['audit'] === 'backend.fallback')).toHaveLength(3);
  expect((await command('/runtime deactivate gemini')).answer).toContain('Runtime: native');
  await command('/runtime activate native');
  const asked = model.requests.length;
  await agent.continue(personSender(userId, 'trpc'), 'thread');
  await expect.poll(() => model.requests.length).toBeGreaterThan(asked);
  // The message that was not answered is, and is there once.
  expect(JSON.stringify(model.requests[asked]?.body).split('And you?')).toHaveLength(2);
  // The model reads what a coding agent wrote as data.
  expect(JSON.stringify(model.requests[asked]?.body)).toMatch(/<untrusted source=.{1,3}runtime:gemini/);
});

it('RT-14 a client without the scope is answered by the model, and does not choose', async () => {
  const { agent, userId, choose, until, stored } = await openRuntimeWorld();
  await choose();
  const sender = { ...personSender(userId, 'rest'), key: 'token:t1', groups: ['shell' as const] };
  expect(await agent.lanes.command(sender, 'other', '/runtime activate gemini')).toContain('scope runtime');
  const client = { ...sender, key: 'person' };
  const { done } = await agent.lanes.send(client, 'thread', { text: 'Hello' });
  await done;
  await until('run-finish');
  expect(await stored()).toContain('text-block From the model.');
});

it('gets text files and pictures of a message with the task; what it does not get is said in the chat', async () => {
  const { say, choose, daemon, stored } = await openRuntimeWorld();
  await choose();
  const file = (name: string, mediaType: string, text: string) => ({
    ...{ name, mediaType, data: Buffer.from(text, 'latin1').toString('base64') },
  });
  const picture = (name: string, bytes: number) =>
    file(name, 'image/png', `\x89PNG\r\n\x1a\n${'.'.repeat(bytes)}`);
  await say('Read it', {
    attachments: [
      file('a "b".txt', 'text/plain', 'line one'),
      file('big.txt', 'text/plain', 'x'.repeat(39_000)),
      file('more.txt', 'text/plain', 'y'.repeat(39_000)),
      picture('p.png', 1_500_000),
      picture('q.png', 1_500_000),
      picture('r.png', 10),
    ],
  });
  const { prompt: words, pictures } = (await nextCall(daemon)).toolCall.arguments;
  const prompt = String(words);
  expect(prompt).toContain(
    'Read it\n[The file "a \\"b\\".txt":]\nline one\n[The end of the file "a \\"b\\".txt"]\n',
  );
  expect(prompt).toContain('x'.repeat(39_000));
  expect(prompt).not.toContain('yy');
  expect(prompt).toContain(
    '[The picture "p.png" is with this message.]\n[The file "q.png" cannot be passed on to you.]',
  );
  expect(pictures).toMatchObject([{ name: 'p.png', mediaType: 'image/png' }, { name: 'r.png' }]);
  expect(await stored()).toContainEqual(
    expect.stringContaining('notice Not given to the coding agent: more.txt, q.png.'),
  );
});
