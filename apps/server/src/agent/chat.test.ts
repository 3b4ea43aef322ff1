import { systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { machineQuestion, nextCall, resultOf, withAgent, withMachine } from '../../test/agent.ts';

const write = use('write_file', { filePath: 'a', content: 'b' });

describe('a second message', () => {
  it('is refused while a run is open, by default', async () => {
    const { say } = await withAgent([{ text: 'Thinking', end: 'silent' }]);
    await say('one');
    await expect(say('two')).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
  });

  it('waits in the queue, and gets a run of its own', async () => {
    const gate = Promise.withResolvers<void>();
    const { say, until, agent, userId, model } = await withAgent(
      story([{ text: 'One.', until: gate.promise }, { text: 'Two.' }]),
    );
    await say('one');
    await model.request(1);
    expect(await say('two', { mode: 'queue' })).toMatchObject({ queuedId: expect.any(String) });
    expect((await agent.queue.list(userId, 'thread')).map(({ text }) => text)).toEqual(['two']);
    gate.resolve();
    await until('text-block', ({ payload }) => payload.text === 'Two.');
    const second = await until('user-message', ({ payload }) => payload.source === 'queued');
    expect((await until('run-finish', ({ runId }) => runId === second.runId)).payload.status).toBe(
      'completed',
    );
    expect(await agent.queue.list(userId, 'thread')).toEqual([]);
  });

  it('stays in the queue after Stop, until the queue is resumed', async () => {
    const { say, until, agent, userId, snapshot, model } = await withAgent(
      story([{ text: 'One', end: 'silent' }, { text: 'Two.' }]),
    );
    await say('one');
    await model.request(1);
    await say('two', { mode: 'queue' });
    await agent.cancel(userId, 'thread');
    expect((await snapshot()).now).toMatchObject({
      status: 'idle',
      queuePaused: true,
      queue: [{ text: 'two' }],
    });
    await agent.queue.resume(userId, 'thread');
    await until('text-block', ({ payload }) => payload.text === 'Two.');
  });

  it('that a person removes from the queue or steers does not run again', async () => {
    const { say, until, agent, userId, model } = await withAgent(
      story([{ text: 'One', end: 'silent' }, { text: 'Two.' }]),
    );
    await say('one');
    await model.request(1);
    const { queuedId } = (await say('two', { mode: 'queue' })) as { queuedId: string };
    await agent.queue.steer(userId, { threadId: 'thread', id: queuedId });
    await until('run-finish');
    expect(textOf(requestsOf(model.requests)[1]!).match(/"two"/g)).toHaveLength(1);
    await expect(agent.queue.steer(userId, { threadId: 'thread', id: queuedId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await agent.queue.list(userId, 'thread')).toEqual([]);
  });
});

it('a thread is named by its first words until the helper model has a title', async () => {
  const gate = Promise.withResolvers<void>();
  const { say, until, agent, userId, snapshot } = await withAgent(
    story([{ text: 'One.', until: gate.promise }]),
  );
  await say('Rename the invoices of May\nand sort them.');
  const titles = await until('thread-title-updated');
  expect(titles.payload.title).toBe('Rename the invoices of May and sort them');
  expect((await snapshot()).view.title).toBe(titles.payload.title);
  await agent.threads.change(userId, 'thread', { title: 'Mine' });
  gate.resolve();
  await until('run-finish');
  expect((await agent.threads.get(userId, 'thread')).title).toBe('Mine');
});

describe('a steered message', () => {
  it('skips calls that have not begun, and stands in the next request of the same run', async () => {
    const { say, until, daemon, model, events } = await withMachine(
      story([
        {
          calls: [
            { name: 'read_file', arguments: {} },
            { name: 'write_file', arguments: {} },
          ],
        },
        { text: 'Changed.' },
      ]),
    );
    const { runId } = (await say('start')) as { runId: string };
    const call = await nextCall(daemon);
    expect(await say('rather this', { mode: 'steer' })).toEqual({ runId });
    await daemon.respond(call.requestId, resultOf('read'));
    expect((await until('run-finish')).payload.status).toBe('completed');
    const last = textOf(requestsOf(model.requests)[1]!);
    expect(last).toMatch(/read.*Not run: the person sent a new message first.*rather this/);
    const ends = (await events()).flatMap(({ event }) =>
      event.type === 'tool-result' || event.type === 'tool-error' ? [event.payload.outcome] : [],
    );
    expect(ends.toSorted()).toEqual(['ok', 'skipped']);
  });

  it('drops the model call of the run, and nothing of it is kept', async () => {
    const { say, until, model } = await withAgent(story([{ text: 'Old', end: 'silent' }, { text: 'New.' }]));
    await say('start');
    const first = await model.request(1);
    await say('rather this', { mode: 'steer' });
    await first.closed;
    await until('run-finish');
    expect(textOf(requestsOf(model.requests)[1]!)).not.toContain('Old');
  });

  it('withdraws the question of the machine once, and cancels its call', async () => {
    const { say, until, daemon, panel, events, snapshot } = await withMachine(
      story([write, { text: 'Well.' }]),
    );
    await say('write');
    const call = await nextCall(daemon);
    await daemon.respond(call.requestId, machineQuestion);
    await until('confirmation-request');
    await say('rather not', { mode: 'steer' });
    await until('run-finish');
    const closed = (await events()).filter(({ event }) => event.type === 'confirmation-closed');
    expect(closed.map(({ event }) => event.payload)).toEqual([
      { requestId: call.requestId, outcome: 'withdrawn' },
    ]);
    await expect
      .poll(async () => (await panel.calls.get.query({ requestId: call.requestId })).state)
      .toBe('cancelled');
    expect((await snapshot()).view.asks).toEqual({});
  });

  it('stops the sub-agents that the run waits for', async () => {
    const { say, until, model, events } = await withAgent(
      story([use('delegate', { role: 'reader', instructions: 'child' }), { text: 'Well.' }], {
        child: [{ text: 'Reading', end: 'silent' }],
      }),
    );
    await say('start');
    const child = await model.request(2);
    await say('rather this', { mode: 'steer' });
    await child.closed;
    expect((await until('run-finish')).payload.status).toBe('completed');
    const ends = (await events()).filter(({ event }) => event.type === 'agent-completed');
    expect(ends.map(({ event }) => event.payload)).toMatchObject([
      { status: 'cancelled' },
      { status: 'completed' },
    ]);
  });

  it('does not end a question about the budget in a loop', async () => {
    const { say, until, types, model } = await withAgent(
      story([{ ...use('update-tasks', { tasks: [] }), usage: { input: 2_000_000, output: 1 } }]),
      { AGENT_CONTEXT_TOKENS: '2000000' },
    );
    await say('start');
    await until('confirmation-request');
    await say('go on', { mode: 'steer' });
    await expect
      .poll(async () => (await types()).filter((type) => type === 'confirmation-request').length)
      .toBe(2);
    expect(requestsOf(model.requests)).toHaveLength(1);
  });
});

describe('Stop', () => {
  const silent = { text: 'Thinking', end: 'silent' } as const;

  it.each([
    ['thinking', [silent], {}],
    ['retrying', [{ status: 429, headers: { 'retry-after': '60' } }], {}],
    ['waiting', [use('ask-user', { questions: [{ id: 'q', question: 'Which?', type: 'text' }] })], {}],
    ['waiting for a sub-agent', [use('delegate', { role: 'r', instructions: 'child' })], { child: [silent] }],
    [
      'working in the background',
      [use('delegate', { role: 'r', instructions: 'child', background: true })],
      { child: [silent] },
    ],
  ])(
    'AG-10 ends everything within 2 s while %s, twice is once, and nothing follows',
    async (state, main, others) => {
      const { say, until, agent, userId, snapshot, types, model } = await withAgent(story(main, others));
      await say('start');
      await model.request(state.includes('sub-agent') ? 2 : 1);
      if (state === 'waiting') await until('confirmation-request');
      if (state.includes('background')) {
        await until('run-finish');
        await expect.poll(async () => (await snapshot()).now.backgroundTasks.length).toBe(1);
      }
      const before = systemClock.now();
      await agent.cancel(userId, 'thread');
      expect(systemClock.now() - before).toBeLessThan(2_000);
      const { now, view } = await snapshot();
      expect([now.status, view.asks]).toEqual(['idle', {}]);
      const ends = Object.values(view.agents).map(({ status }) => status);
      expect(ends).toEqual(
        ends.map((_, at) => (state.includes('background') && at === 0 ? 'completed' : 'cancelled')),
      );
      expect(Object.values(view.calls).filter(({ outcome }) => outcome === null)).toEqual([]);
      const seen = (await types()).length;
      await agent.cancel(userId, 'thread');
      expect((await types()).slice(seen)).toEqual([]);
    },
  );

  it('cancels the call on the machine and withdraws its question', async () => {
    const { say, until, agent, userId, daemon, panel, events } = await withMachine(story([write]));
    await say('write');
    const call = await nextCall(daemon);
    await daemon.respond(call.requestId, machineQuestion);
    await until('confirmation-request');
    await agent.cancel(userId, 'thread');
    await expect
      .poll(async () => (await panel.calls.get.query({ requestId: call.requestId })).state)
      .toBe('cancelled');
    const closed = (await events()).filter(({ event }) => event.type === 'confirmation-closed');
    expect(closed.map(({ event }) => event.payload)).toEqual([
      { requestId: call.requestId, outcome: 'withdrawn' },
    ]);
  });
});

it('a message for a machine that is not theirs makes no thread', async () => {
  const { say, agent, userId } = await withAgent([]);
  await expect(say('go', { machineId: 'another' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await agent.threads.list(userId, { limit: 10 })).threads).toEqual([]);
});
