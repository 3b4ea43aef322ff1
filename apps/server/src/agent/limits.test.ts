import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { threadOf, withAgent } from '../../test/agent.ts';
import { createPanel } from '../../test/panel.ts';
import { invited } from '../../test/tenants.ts';

const list = (text: string) =>
  use('update-tasks', { tasks: [{ id: '1', description: text, status: 'todo' }] });

describe('a run', () => {
  it('AG-04 asks to continue after its tokens, and ends interrupted where the person refuses; the queue continues', async () => {
    const costly = { ...list('one'), usage: { input: 2_000_000, output: 1 } };
    const { say, until, agent, userId, model } = await withAgent(story([costly, { text: 'Two.' }]), {
      AGENT_CONTEXT_TOKENS: '2000000',
    });
    await say('go');
    const { payload } = await until('confirmation-request');
    await say('next', { mode: 'queue' });
    await agent.confirm(userId, payload.requestId, { kind: 'approval', approved: false });
    expect((await until('run-finish')).payload.status).toBe('interrupted');
    await until('text-block', ({ payload: { text } }) => text === 'Two.');
    expect(requestsOf(model.requests)).toHaveLength(2);
  });

  it('says at its end what it has used, its last step included', async () => {
    const { say, until } = await withAgent(
      story([
        { ...list('one'), usage: { input: 100, output: 10 } },
        { text: 'Done.', usage: { input: 200, output: 20, cached: 50 } },
      ]),
    );
    await say('go');
    expect((await until('run-finish')).payload.usage).toEqual({
      inputTokens: 300,
      outputTokens: 30,
      cachedTokens: 50,
    });
  });
});

describe('the day of a user', () => {
  const budget = { AGENT_TOKENS_PER_DAY: '1000' };
  const spends = { usage: { input: 1_000, output: 1 } };

  it('NA-11: runs that begin at once stop at its limit after one step in all, titles included', async () => {
    const isHeld = Promise.withResolvers<void>();
    const world = await withAgent(() => ({ text: 'Done.', ...spends, until: isHeld.promise }), budget);
    const { agent, userId, model } = world;
    const threads = ['a', 'b', 'c'].map((id) => threadOf(agent, userId, id));
    const runs = await Promise.all(threads.map(({ say }) => say('go')));
    isHeld.resolve();
    const ends = await Promise.all(threads.map(({ until }) => until('run-finish')));
    expect(runs).toHaveLength(3);
    expect(ends.map(({ payload }) => payload.status).toSorted()).toEqual(['completed', 'error', 'error']);
    expect((await agent.credits(userId)).tokens).toBe(1_001);
    expect(model.requests).toHaveLength(1);
    await expect(world.say('more')).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
    // The chats above have asked for no title either.
    await world.panel.agent.settings.change.mutate({ tokensPerDay: 10_000 });
    const next = threadOf(agent, userId, 'd');
    await next.say('go');
    await next.until('thread-title-updated', ({ payload }) => payload.title === 'Done');
    expect(model.requests).toHaveLength(3);
  });

  it('NA-11: sub-agents of a run stop at it too', async () => {
    const calls = [1, 2, 3, 4].map((n) => ({
      name: 'delegate',
      arguments: { role: 'r', instructions: `child ${n}` },
    }));
    const { say, until, model } = await withAgent(
      story([{ calls, usage: { input: 400, output: 1 } }], { child: () => ({ text: 'Did.', ...spends }) }),
      budget,
    );
    await say('go');
    await until('run-finish');
    expect(requestsOf(model.requests, 'child')).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  const most = 100_000;
  it.each([
    ['10 to the 300', 1e300, 1e300],
    ['below zero', -1e300, -1e300],
    ['nothing', 0, 0],
    ['gains by its cache', 10, 5, 1e300],
  ])(
    'NA-10: a usage of %s is counted within what a call can use',
    async (_what, input, output, cached = 0) => {
      const { say, until, agent, userId } = await withAgent(
        story(() => ({ text: 'Done.', usage: { input, output, cached } })),
      );
      for (let turn = 1; turn <= 2; turn += 1) {
        const { runId } = (await say('go')) as { runId: string };
        await until('run-finish', (event) => event.runId === runId);
        const { tokens } = await agent.credits(userId);
        expect(tokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThan(most * turn);
        await expect
          .poll(async () => (await agent.threads.snapshot(userId, 'thread', { limit: 1 })).now.status)
          .toBe('idle');
      }
    },
  );

  it('NA-10: tries that broke off are counted as well', async () => {
    const part = 'Some words of an answer that breaks off. '.repeat(20);
    const { say, until } = await withAgent((_request, number) =>
      number === 1 ? { text: part, end: 'no-finish' } : { text: 'Done.', usage: { input: 10, output: 5 } },
    );
    await say('go');
    const { usage } = (await until('run-finish')).payload;
    expect(usage.inputTokens).toBeGreaterThan(1_000);
    expect(usage.outputTokens).toBeGreaterThan(100);
  });
});

describe('an account', () => {
  it('AG-06 that is disabled works no more', async () => {
    const { agent, server, panel, model } = await withAgent(
      story([use('ask-user', { questions: [{ id: 'q', question: 'Which?', type: 'text' }] })]),
    );
    const other = await createPanel(server, await invited(server, panel)).account.me.query();
    const { say, until } = threadOf(agent, other?.id ?? '');
    await say('go');
    const { payload } = await until('confirmation-request');
    await panel.people.disable.mutate({ id: other?.id ?? '' });
    await agent.confirm(other?.id ?? '', payload.requestId, { kind: 'questions', answers: [] });
    expect((await until('run-finish')).payload.status).toBe('error');
    expect(model.requests.filter((request) => textOf(request).includes('Which?'))).toEqual([]);
  });
});
