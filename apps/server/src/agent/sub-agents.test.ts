import { describe, expect, it } from 'vitest';
import type { ScriptedRequest } from '../../../../e2e/agent/scripted-model.ts';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { machineQuestion, nextCall, resultOf, withAgent, withMachine } from '../../test/agent.ts';
import { turnTool } from '../../test/runtimes.ts';

const delegate = (instructions: string, more: object = {}) =>
  use('delegate', { role: 'reader', instructions, ...more });
/** Whether the main agent's newest request has that text. */
const isRead = (requests: readonly ScriptedRequest[], text: string) =>
  textOf(requestsOf(requests).at(-1)!).includes(text);
const silent = { text: 'Working', end: 'silent' } as const;
const background = (instructions: string) => ({
  name: 'delegate',
  arguments: { role: instructions, instructions, background: true },
});

describe('a sub-agent', () => {
  it('AG-03 names its role where the machine asks, and its last step has no tools', async () => {
    const { say, until, daemon, panel, model } = await withMachine(
      story([delegate('child', { tools: ['read_file'], max_steps: 2 })], {
        child: [use('read_file', { path: 'a' }), use('read_file', { path: 'b' })],
      }),
    );
    await say('go');
    const call = await nextCall(daemon);
    const { via } = await panel.calls.get.query({ requestId: call.requestId });
    expect(via).toMatchObject({ kind: 'thread', name: expect.stringContaining('reader') });
    await daemon.respond(call.requestId, resultOf('a'));
    await until('run-finish');
    expect(requestsOf(model.requests, 'child').map(({ tools }) => tools)).toEqual([['read_file'], []]);
  });

  it('of a plan asks with the title of its task', async () => {
    const task = {
      id: 'h',
      title: 'Rewrite the heads',
      kind: 'delegate',
      spec: 'child',
      tools: ['read_file'],
    };
    const plan = use('plan', { title: 'Blog', tasks: [{ ...task, deps: [] }] });
    const { say, until, daemon, panel, agent, userId } = await withMachine(
      story([plan, { text: 'It runs.' }, { text: 'Seen.' }], { child: [use('read_file', { path: 'a' })] }),
    );
    await say('go');
    const { payload } = await until('confirmation-request');
    await agent.confirm(userId, String(payload.requestId), { kind: 'approval', approved: true });
    const { requestId } = await nextCall(daemon);
    const { via } = await panel.calls.get.query({ requestId });
    expect(via?.name).toMatch(/ · Rewrite the heads$/);
    await daemon.respond(requestId, resultOf('a'));
  });

  it('gives its work to a coding agent of the machine, whose question is one of the chat', async () => {
    const given = { runtime: 'gemini', prompt: 'Test it' };
    const { say, until, daemon, model, agent, userId } = await withMachine(
      story([delegate('child', { tools: ['runtime_turn'] }), { text: 'Well.' }], {
        child: [use('runtime_turn', given), { text: 'It passed' }],
      }),
      {},
      { tools: [turnTool] },
    );
    await say('go');
    const call = await nextCall(daemon);
    expect(call.toolCall).toEqual({ name: 'runtime_turn', arguments: given });
    await daemon.respond(call.requestId, machineQuestion);
    const { payload } = await until('confirmation-request');
    const resourceDecision = 'allowOnce' as const;
    await agent.confirm(userId, String(payload.requestId), { kind: 'resourceDecision', resourceDecision });
    const again = await nextCall(daemon);
    expect(again.toolCall.arguments).toMatchObject({ _confirmation: resourceDecision });
    await daemon.respond(again.requestId, resultOf('all of it'));
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(textOf(requestsOf(model.requests, 'child').at(-1)!)).toContain('all of it');
    expect(isRead(model.requests, 'It passed')).toBe(true);
  });

  it('that fails is a result for its parent, which continues', async () => {
    const { say, until, model } = await withAgent(
      story([delegate('child'), { text: 'Well.' }], { child: [{ status: 400 }] }),
    );
    await say('go');
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(textOf(requestsOf(model.requests)[1]!)).toContain('The sub-agent did not finish (error)');
  });

  it('is one of four at once', async () => {
    const calls = [1, 2, 3, 4, 5].map((n) => ({
      name: 'delegate',
      arguments: { role: 'r', instructions: `child ${n}` },
    }));
    const { say, until, snapshot } = await withAgent(story([{ calls }], { child: () => silent }));
    await say('go');
    const error = await until('tool-error');
    expect(error.payload.error).toContain('4 sub-agents work already');
    const { agents } = (await snapshot()).view;
    expect(Object.values(agents).filter(({ kind }) => kind === 'delegate')).toHaveLength(4);
  });

  it('that ends while the others of its step end wakes its parent once', async () => {
    const calls = [1, 2, 3, 4].map((n) => ({
      name: 'delegate',
      arguments: { role: 'r', instructions: `child ${n}` },
    }));
    const { say, until, model, types } = await withAgent(story([{ calls }, { text: 'All.' }]));
    await say('go');
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(requestsOf(model.requests)).toHaveLength(2);
    expect((await types()).filter((type) => type === 'tool-result')).toHaveLength(4);
  });
});

describe('background tasks', () => {
  it('that end while the main agent thinks are in its next request, and none is lost', async () => {
    const gate = Promise.withResolvers<void>();
    const { say, until, model } = await withAgent(
      story([{ calls: [background('task a')] }, { text: 'Wait.', until: gate.promise }, { text: 'News.' }], {
        'task a': [{ text: 'a is done.' }],
      }),
    );
    await say('go');
    await until('agent-completed');
    gate.resolve();
    await until('run-finish');
    await expect.poll(() => isRead(model.requests, 'a is done.')).toBe(true);
  });

  it('start no more than five runs after one message of the person', async () => {
    const again = () => ({ calls: [background('task a')] });
    const { say, snapshot, events } = await withAgent(
      story((_, number) => (number % 2 === 1 ? again() : { text: 'Started.' }), {
        task: async () => {
          await expect.poll(async () => (await snapshot()).now.status).toBe('background');
          return { text: 'Done.' };
        },
      }),
    );
    await say('go');
    const follow = async () =>
      (await events()).filter(({ event }) => event.type === 'run-start' && event.payload.kind === 'follow-up')
        .length;
    await expect.poll(async () => [await follow(), (await snapshot()).now.status]).toEqual([5, 'idle']);
  });

  it('that the person stops end alone, and an unknown one is not found', async () => {
    const { say, until, agent, userId, snapshot, model } = await withAgent(
      story([{ calls: [background('task a'), background('task b')] }, { text: 'Started.' }], {
        task: () => silent,
      }),
    );
    await say('go');
    await until('run-finish');
    await expect.poll(() => requestsOf(model.requests, 'task').length).toBe(2);
    const [first, second] = (await snapshot()).now.backgroundTasks;
    await agent.tasks.cancel(userId, { threadId: 'thread', taskId: first?.taskId ?? '' });
    expect((await snapshot()).now.backgroundTasks.map(({ taskId }) => taskId)).toEqual([second?.taskId]);
    await expect(
      agent.tasks.cancel(userId, { threadId: 'thread', taskId: first?.taskId ?? '' }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('that the model stops end within its own step', async () => {
    const { say, until, model } = await withAgent(
      story(
        (request, number) => {
          if (number === 1) return { calls: [background('task a')] };
          const taskId = /ag_[\w-]+/.exec(textOf(request))?.[0];
          return number === 2 ? use('cancel-background-task', { taskId }) : { text: 'Stopped it.' };
        },
        { task: () => silent },
      ),
    );
    await say('go');
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(textOf(requestsOf(model.requests)[2]!)).toContain('Stopped.');
  });
});
