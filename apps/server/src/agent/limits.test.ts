import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { threadOf, withAgent } from '../../test/agent.ts';
import { createPanel } from '../../test/panel.ts';
import { invited } from '../../test/tenants.ts';

const list = (text: string) =>
  use('update-tasks', { tasks: [{ id: '1', description: text, status: 'todo' }] });

describe('a run', () => {
  it('AG-04 asks to continue after its tokens, and ends interrupted where the person refuses; the queue goes on', async () => {
    const costly = { ...list('one'), usage: { input: 2_000_000, output: 1 } };
    const { say, until, agent, userId, model } = await withAgent(story([costly, { text: 'Two.' }]));
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
