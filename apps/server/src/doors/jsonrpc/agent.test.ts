import { jsonOf } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { story, use } from '../../../test/agent-turns.ts';
import { machineQuestion, nextCall, resultOf, withAgent, withMachine } from '../../../test/agent.ts';
import { createHeldModel } from '../../../test/lane-world.ts';
import { newToken, openPerson, openRpc, type Rpc, type RpcFrame } from '../../../test/rpc.ts';
import { invited } from '../../../test/tenants.ts';

/** The names of the events of a request in their order, with the state of a run; parts of texts as one. */
const orderOf = (frames: readonly RpcFrame[], id: number | string): string[] => {
  const names = frames
    .filter((frame) => frame.id === id)
    .map((frame) => {
      if (frame.event === 'run_state') return String(frame.data?.state);
      return frame.event ?? ('result' in frame ? 'result' : 'error!');
    });
  return names.filter((name, at) => name !== 'content' || names[at - 1] !== 'content');
};

const textsOf = (frames: readonly RpcFrame[], id: number | string) =>
  frames
    .filter((frame) => frame.id === id && frame.event === 'content')
    .map((frame) => String(frame.data?.text))
    .join('');

describe('agent.send', () => {
  it('streams a run with a tool, and ends with the whole text', async () => {
    const { server, cookie, daemon } = await withMachine(
      story([{ ...use('read_file', { filePath: 'a' }), text: 'Reading.' }, { text: 'It says hello.' }]),
    );
    const rpc = await openPerson(server, cookie);
    rpc.send({ id: 's', method: 'agent.send', params: { message: 'read it', session: 'cli:one' } });
    const call = await nextCall(daemon);
    await daemon.respond(call.requestId, resultOf('hello'));
    const { result } = await rpc.answerOf('s');
    expect(result).toMatchObject({
      sessionId: 'cli:one',
      content: 'Reading.\n\nIt says hello.',
      response: 'Reading.\n\nIt says hello.',
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    expect(orderOf(rpc.frames, 's')).toEqual([
      'start',
      'content',
      'tool_start',
      'tool_end',
      'content',
      'complete',
      'done',
      'result',
    ]);
    expect(textsOf(rpc.frames, 's')).toBe('Reading.\n\nIt says hello.');
    expect(rpc.frames.find(({ event }) => event === 'tool_end')?.data).toMatchObject({
      tool: 'read_file',
      result: { success: true, output: expect.stringContaining('hello') },
    });

    const listed = await rpc.call('sessions.list', { frontend: 'cli' });
    expect(listed.result).toMatchObject({ total: 1, sessions: [{ id: 'cli:one', messageCount: 3 }] });
    const got = await rpc.call('sessions.get', { sessionId: 'cli:one' });
    expect(got.result).toMatchObject({
      id: 'cli:one',
      history: [
        { role: 'user', content: 'read it' },
        { role: 'assistant', content: 'Reading.' },
        { role: 'assistant', content: 'It says hello.' },
      ],
      total: 3,
    });
    expect((await rpc.call('sessions.delete', { sessionId: 'cli:one' })).result).toEqual({ success: true });
    expect((await rpc.call('sessions.get', { sessionId: 'cli:one' })).error?.code).toBe(1);
  });

  it('warns before the end when the context is nearly full', async () => {
    const headings = ['Goal', 'Important facts', 'Current state', 'Open issues', 'Next step'];
    const summary = headings.map((heading) => `## ${heading}\nas it is`).join('\n');
    const { server, cookie } = await withAgent(({ text }) => {
      if (text.includes('You summarise')) return { text: summary };
      if (text.includes('You keep the notes')) return { status: 500 };
      // What the provider counts has the prompt and the tools in it.
      if (text.includes('"counted"')) return { text: 'ok', usage: { input: 17_000, output: 2 } };
      const isMuch = text.includes('"much"') && !text.includes('"again"');
      return { text: 'word '.repeat(isMuch ? 16_000 : text.includes('"more"') ? 12_000 : 10) };
    });
    const rpc = await openPerson(server, cookie);
    const warningOf = async (id: string, sessionId = `ws:${id}`) => {
      rpc.send({ id, method: 'agent.send', params: { message: id, sessionId } });
      await rpc.answerOf(id);
      return rpc.frames.find((frame) => frame.id === id && frame.event === 'context_warning')?.data;
    };
    expect(await warningOf('little')).toBeUndefined();
    expect(await warningOf('more')).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(/^Context usage is 5\d\.\d% \(\d+\/32000 estimated tokens\)\.$/),
      budget: { contextWindow: 32_000, thresholdPct: 60, shouldCompact: false },
      actions: { checkpointSaved: false, autoCompacted: false },
    });
    expect(await warningOf('much')).toMatchObject({ level: 'checkpoint', budget: { shouldCompact: true } });
    expect(orderOf(rpc.frames, 'much').slice(-4)).toEqual(['context_warning', 'complete', 'done', 'result']);
    const counted = { estimatedTokens: 17_002, usagePct: 53.1, shouldCompact: false };
    expect(await warningOf('counted')).toMatchObject({ level: 'warning', budget: counted });

    const [session, saved] = ['ws:much', await warningOf('again', 'ws:much')];
    const name = expect.stringMatching(/^session\/checkpoints\/\d+$/);
    const actions = { checkpointSaved: true, checkpointNamespace: name, autoCompacted: true };
    expect(saved).toMatchObject({ level: 'checkpoint', budget: { shouldCompact: false }, actions });
    const [, artifactId = ''] = /"(session.checkpoints[^"]*)"/.exec(JSON.stringify(saved)) ?? [];
    expect((await rpc.call('canvas.get', { sessionId: session, artifactId })).result).toMatchObject({
      artifact: { type: 'note', content: { markdown: expect.stringContaining('Goal:\nas it is') } },
    });
  });

  it('runs one after the other in a session, and sessions side by side', async () => {
    const gates = { one: Promise.withResolvers<void>(), other: Promise.withResolvers<void>() };
    const { server, cookie, model } = await withAgent(({ text }) => {
      if (text.includes('"first"') && !text.includes('"second"'))
        return { text: 'One.', until: gates.one.promise };
      if (text.includes('"elsewhere"')) return { text: 'Other.', until: gates.other.promise };
      return { text: 'Two.' };
    });
    const rpc = await openPerson(server, cookie);
    const send = (id: string, message: string, sessionId: string) =>
      rpc.send({ id, method: 'agent.send', params: { message, sessionId } });
    send('a', 'first', 'ws:x');
    await rpc.until(({ id, data }) => id === 'a' && data?.state === 'start');
    send('b', 'second', 'ws:x');
    send('c', 'elsewhere', 'ws:y');
    await rpc.until(({ id, data }) => id === 'b' && data?.state === 'queued');
    await rpc.until(({ id, data }) => id === 'c' && data?.state === 'start');
    gates.other.resolve();
    expect((await rpc.answerOf('c')).result).toMatchObject({ content: 'Other.' });
    expect([model.requests.length, orderOf(rpc.frames, 'b')]).toEqual([2, ['queued']]);
    gates.one.resolve();
    expect((await rpc.answerOf('b')).result).toMatchObject({ content: 'Two.' });
    expect(orderOf(rpc.frames, 'b')).toEqual(['queued', 'start', 'content', 'complete', 'done', 'result']);
  });

  it('a message in the run of another one has no events of its own, nor has a stored answer', async () => {
    const { script, releaseAll } = createHeldModel();
    const { server, cookie } = await withAgent(script);
    const { token } = await newToken(server, cookie);
    const rpc = await openRpc(server, token);
    const send = (id: string, message: string, more: object = {}) =>
      rpc.send({ id, method: 'agent.send', params: { message, idempotencyKey: message[5], ...more } });
    send('a', 'hold a');
    await rpc.until(({ id, data }) => id === 'a' && data?.state === 'start');
    send('b', 'hold b', { queueMode: 'steer' });
    await rpc.until(({ id, data }) => id === 'b' && data?.state === 'steered');
    releaseAll();
    const [starting, joined] = await Promise.all([rpc.answerOf('a'), rpc.answerOf('b')]);
    expect(joined.result).toMatchObject({ content: 'End of b.', into: starting.result?.requestId });
    expect(orderOf(rpc.frames, 'b')).toEqual(['steered', 'result']);
    send('again', 'hold a');
    // The tokens of the title may be counted after the answer.
    const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
    const stored = { ...starting.result, usage, replayed: true };
    expect((await rpc.answerOf('again')).result).toEqual(stored);
    expect(orderOf(rpc.frames, 'again')).toEqual(['done', 'result']);
  });

  it('accepts the messages of a session in the order in which they came, and a cancel after them', async () => {
    const { script, releaseAll } = createHeldModel();
    const { server, cookie } = await withAgent(script);
    const rpc = await openPerson(server, cookie);
    const sessionId = 'ws:order';
    const send = (id: string, more: object = {}) =>
      rpc.send({
        id,
        method: 'agent.send',
        params: { message: `hold ${id}`, sessionId, idempotencyKey: id, ...more },
      });
    send('a');
    await rpc.until(({ id, data }) => id === 'a' && data?.state === 'start');
    // Its digest takes longest.
    const data = Buffer.alloc(4 * 1024 * 1024, 'x').toString('base64');
    const attachments = [{ mimeType: 'text/plain', data }];
    send('b', { attachments });
    send('c');
    await rpc.until((frame) => frame.id === 'c' && frame.data?.state === 'queued');
    const positions = rpc.frames.flatMap((frame) =>
      frame.data?.state === 'queued' ? [[frame.id, frame.data.position]] : [],
    );
    expect(positions).toEqual([
      ['b', 1],
      ['c', 2],
    ]);

    send('d', { attachments });
    const cancelled = rpc.call('agent.cancel', { sessionId, requestId: 'd' });
    expect((await cancelled).result).toEqual({ cancelled: true, rejected: 1 });

    // The lane has the name of the session, and the log says who interrupted whom.
    send('e', { queueMode: 'interrupt' });
    const [preempted, superseded] = await Promise.all([rpc.answerOf('a'), rpc.answerOf('b')]);
    expect(preempted.error?.data).toMatchObject({ queue: { code: 'preempted', laneId: sessionId } });
    expect(superseded.error?.data).toMatchObject({ queue: { code: 'superseded', laneId: sessionId } });
    const audited = server.log.filter((line) => line.includes('queue.preempt')).map((line) => jsonOf(line));
    const begun = rpc.frames.find((frame) => frame.id === 'a' && frame.data?.state === 'start');
    const ids = { runId: begun?.runId, interrupted: expect.any(String), by: expect.any(String) };
    expect(audited).toEqual([expect.objectContaining(ids)]);
    releaseAll();
  });

  it('cancels what runs', async () => {
    const { server, cookie, model } = await withAgent(() => ({ text: 'Thinking', end: 'silent' }));
    const rpc = await openPerson(server, cookie);
    expect((await rpc.call('agent.cancel')).result).toEqual({ cancelled: false, rejected: 0 });
    rpc.send({ id: 's', method: 'agent.send', params: { message: 'go' } });
    await model.request(1);
    expect((await rpc.call('agent.cancel')).result).toMatchObject({ cancelled: true });
    expect((await rpc.answerOf('s')).error).toMatchObject({ code: 4 });
    const order = orderOf(rpc.frames, 's');
    expect(order).toContain('cancel_requested');
    expect(order.slice(-3)).toEqual(['cancelled', 'error', 'error!']);
  });
});

describe('WS-05 WS-11 the sessions of a token', () => {
  it('are its own, and those of a person include them', async () => {
    const { server, cookie } = await withAgent(() => ({ text: 'Yes.' }));
    const [one, two] = await Promise.all([newToken(server, cookie), newToken(server, cookie)]);
    const [first, second, person] = await Promise.all([
      openRpc(server, one.token),
      openRpc(server, two.token),
      openPerson(server, cookie),
    ]);
    await first.call('agent.send', { message: 'mine', sessionId: 'ws:same' });
    expect((await second.call('sessions.list')).result).toMatchObject({ total: 0 });
    expect((await second.call('sessions.get', { sessionId: 'ws:same' })).error?.code).toBe(1);
    const { sessions } = (await person.call('sessions.list')).result as { sessions: { id: string }[] };
    expect(sessions).toMatchObject([{ id: expect.stringMatching(/^thread:/) }]);
    const id = sessions[0]?.id ?? '';
    expect((await person.call('sessions.get', { sessionId: id })).result).toMatchObject({ total: 2 });
    const unknown = await first.call('sessions.get', { sessionId: 'thread:nothing' });
    expect((await first.call('sessions.get', { sessionId: id })).error).toEqual(unknown.error);
  });
});

it('agent.confirmations has the own questions of the agent; a token sees those of its sessions', async () => {
  const { server, cookie, panel } = await withAgent(
    story([use('ask-user', { questions: [{ id: 'q', question: 'Which?', type: 'text' }] })]),
  );
  const { token } = await newToken(server, cookie);
  const { token: otherToken } = await newToken(server, cookie, ['agent', 'shell']);
  const [person, rpc, other] = [
    await openPerson(server, cookie),
    await openRpc(server, token),
    await openRpc(server, otherToken),
  ];
  const stranger = await openPerson(server, await invited(server, panel));
  rpc.send({ id: 's', method: 'agent.send', params: { message: 'go', sessionId: 'ws:mine' } });
  const asked = await rpc.until(({ event }) => event === 'confirm_request');
  const open = async (of: Rpc, params = {}) =>
    (await of.call('agent.confirmations', params)).result?.confirmations;
  const question = { ...asked.data, createdAt: expect.any(String), threadTitle: expect.any(String) };
  expect(await open(rpc)).toEqual([question]);
  expect(await open(rpc, { sessionId: 'ws:mine' })).toEqual([question]);
  expect(await open(person)).toEqual([{ ...question, canAnswer: true }]);
  expect(await open(other)).toEqual([]);
  expect(await open(stranger)).toEqual([]);
  await person.call('sessions.create', { sessionId: 'ws:elsewhere' });
  expect(await open(person, { sessionId: 'ws:elsewhere' })).toEqual([]);
  expect(asked.data).toMatchObject({ kind: 'text', canAnswer: false });
});

it('agent.setToolUseCallback shows the questions of a session on its id, at most of 20 sessions', async () => {
  const { server, cookie, daemon } = await withMachine(
    story([
      use('ask-user', { questions: [{ id: 'q', question: 'Which?', type: 'text' }] }),
      use('write_file', { filePath: 'a' }),
      { text: 'Done.' },
    ]),
  );
  const [sender, viewer] = [await openPerson(server, cookie), await openPerson(server, cookie)];
  await viewer.call('sessions.create', { sessionId: 'ws:q' });
  const enable = { method: 'agent.setToolUseCallback', params: { sessionId: 'ws:q', enabled: true } };
  viewer.send({ id: 'twice', ...enable });
  expect((await viewer.answerOf('twice')).result).toEqual({ success: true, canAnswer: true });
  viewer.send({ id: 'cb', ...enable });
  await viewer.answerOf('cb');
  sender.send({ id: 's', method: 'agent.send', params: { message: 'go', sessionId: 'ws:q' } });
  const shown = async (kind: string) =>
    (
      await viewer.until(
        ({ id, event, data }) => id === 'cb' && event === 'confirm_request' && data?.kind === kind,
      )
    ).data?.confirmId;
  const resolved = async (confirmId: unknown) =>
    (
      await viewer.until(
        ({ id, event, data }) => id === 'cb' && event === 'confirm_resolved' && data?.confirmId === confirmId,
      )
    ).data;
  const ask = await shown('text');
  const answer = { kind: 'approval', approved: true, userInput: 'The left one.' };
  await viewer.call('agent.confirm', { confirmId: ask, answer });
  expect(await resolved(ask)).toMatchObject({ state: 'answered' });
  await daemon.respond((await nextCall(daemon)).requestId, machineQuestion);
  const confirmation = await shown('resource-decision');
  await viewer.call('agent.confirm', { confirmId: confirmation, decision: 'deny' });
  expect(await resolved(confirmation)).toMatchObject({ state: 'decided' });
  expect((await sender.answerOf('s')).result).toMatchObject({ content: 'Done.' });
  expect(viewer.frames.filter(({ id, event }) => id === 'twice' && event !== undefined)).toEqual([]);

  const enableFor = async (sessionId: string) => {
    await viewer.call('sessions.create', { sessionId });
    return viewer.call('agent.setToolUseCallback', { sessionId, enabled: true });
  };
  for (let at = 1; at < 20; at += 1)
    expect((await enableFor(`ws:${at}`)).result).toMatchObject({ success: true });
  expect((await enableFor('ws:20')).error?.code).toBe(10);
  await viewer.call('agent.setToolUseCallback', { sessionId: 'ws:q', enabled: false });
  expect((await enableFor('ws:20')).result).toMatchObject({ success: true });
});
