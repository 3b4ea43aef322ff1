import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { threadOf, withAgent, withMachine } from '../../test/agent.ts';
import { createPanel } from '../../test/panel.ts';
import { invited } from '../../test/tenants.ts';

const list = (text: string) =>
  use('update-tasks', { tasks: [{ id: '1', description: text, status: 'todo' }] });
const approved = { kind: 'approval', approved: true } as const;

describe('a run', () => {
  it('AG-04 asks to continue after 100 steps, and goes on from there', async () => {
    const { say, until, agent, userId, model, snapshot } = await withAgent(
      story((_, number) => (number <= 101 ? list(`step ${number}`) : { text: 'Done.' })),
    );
    await say('go');
    const isAsked = async () => (await snapshot()).now.status === 'suspended';
    await expect.poll(isAsked, { timeout: 80_000, interval: 500 }).toBe(true);
    const { payload } = await until('confirmation-request');
    expect(payload).toMatchObject({ inputType: 'continue', toolCallId: null });
    expect(payload.message).toContain('100 steps');
    expect(requestsOf(model.requests)).toHaveLength(100);
    await agent.confirm(userId, payload.requestId, approved);
    expect((await until('run-finish')).payload.status).toBe('completed');
    expect(requestsOf(model.requests)).toHaveLength(102);
  }, 90_000);

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

describe('a day', () => {
  it('AG-04 ends the run whose tokens reach its limit, and refuses the next message', async () => {
    const { say, until } = await withAgent(story([{ ...list('one'), usage: { input: 1_500, output: 1 } }]), {
      AGENT_TOKENS_PER_DAY: '1000',
    });
    await say('go');
    expect((await until('error')).payload.code).toBe('BUDGET_SPENT');
    expect((await until('run-finish')).payload.status).toBe('error');
    await expect(say('again')).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
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

describe('many tools', () => {
  const names = Array.from({ length: 60 }, (_, n) => `tool_${n}`);
  const tools = names.map((name) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } }));

  it('are found and loaded, and each request has the loaded ones alone', async () => {
    const { say, until, model } = await withMachine(
      story([
        use('search_tools', { query: 'tool_7' }),
        use('load_tool', { names: ['tool_7', 'nope'] }),
        { text: 'Done.' },
      ]),
      {},
      { tools },
    );
    await say('go');
    await until('run-finish');
    const [first, second, third] = requestsOf(model.requests);
    expect(first?.tools.filter((name) => names.includes(name))).toEqual([]);
    expect(textOf(second!).includes('tool_7: Does tool_7')).toBe(true);
    expect(third?.tools.filter((name) => names.includes(name))).toEqual(['tool_7']);
    expect(textOf(third!).includes('Loaded: tool_7. Unknown: nope.')).toBe(true);
  });
});
