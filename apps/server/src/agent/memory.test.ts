import type { TokenScope } from '@drawbridge/contracts/tokens';
import { describe, expect, it } from 'vitest';
import { isHelper, story, textOf, use } from '../../test/agent-turns.ts';
import { threadOf, withAgent } from '../../test/agent.ts';
import { createPanel } from '../../test/panel.ts';
import { invited } from '../../test/tenants.ts';
import type { ScriptedRequest, Turn } from '../../../../e2e/agent/scripted-model.ts';

const isNotes = (request: ScriptedRequest) => textOf(request).includes('You keep the notes');
const isSummary = (request: ScriptedRequest) => textOf(request).includes('You summarise');
const long = 'The weather was fine and the work went on. '.repeat(80);
const summary = ['Goal', 'Important facts', 'Current state', 'Open issues', 'Next step']
  .map((heading) => `## ${heading}\nx`)
  .join('\n');

/** A story whose notes and summaries are answered by `helper`. */
const withHelper =
  (helper: (request: ScriptedRequest) => Turn, main = story(() => ({ text: 'Yes.' }))) =>
  (request: ScriptedRequest) =>
    isNotes(request) || isSummary(request) ? helper(request) : main(request);

type World = Awaited<ReturnType<typeof withAgent>>;
const talk = async (
  { say, until, snapshot }: Pick<World, 'say' | 'until' | 'snapshot'>,
  ...numbers: number[]
) => {
  for (const n of numbers) {
    const { runId } = (await say(`${n} ${long}`)) as { runId: string };
    await until('run-finish', (event) => event.runId === runId);
    await expect.poll(async () => (await snapshot()).now.status).toBe('idle');
  }
};

describe('notes', () => {
  it('that the helper model cannot write are not tried again at each step', async () => {
    const world = await withAgent(
      withHelper(() => ({ status: 500 })),
      { AGENT_OBSERVER_TOKENS: '4000' },
    );
    await talk(world, 0, 1, 2, 3, 4, 5, 6, 7);
    expect(world.model.requests.filter(isNotes)).toHaveLength(1);
  });
});

describe('a small context', () => {
  it('is measured by what the provider has counted', async () => {
    const counted = { usage: { input: 7_000, output: 10 } };
    const world = await withAgent(
      withHelper(
        (request) => (isSummary(request) ? { text: summary } : { status: 500 }),
        story([
          { ...use('update-tasks', { tasks: [] }), ...counted },
          { ...use('update-tasks', { tasks: [{ id: '1', description: 'x', status: 'todo' }] }), ...counted },
          { ...use('update-tasks', { tasks: [{ id: '2', description: 'x', status: 'todo' }] }), ...counted },
          { ...use('update-tasks', { tasks: [{ id: '3', description: 'x', status: 'todo' }] }), ...counted },
          { ...use('update-tasks', { tasks: [{ id: '4', description: 'x', status: 'todo' }] }), ...counted },
        ]),
      ),
      { AGENT_CONTEXT_TOKENS: '8192', AGENT_MAX_OUTPUT_TOKENS: '512' },
    );
    await world.say('short');
    await world.until('run-finish');
    expect(world.model.requests.filter(isSummary).length).toBeGreaterThan(0);
  });
});

describe('two users', () => {
  it('AG-05 with threads of one id never share a word', async () => {
    const world = await withAgent(
      withHelper(() => ({ text: '- 2026-11-23 08:00 a note' })),
      { AGENT_OBSERVER_TOKENS: '2000' },
    );
    const { server, panel, agent, model } = world;
    await world.say('canary-of-a');
    await world.until('thread-title-updated', ({ payload }) => payload.title === 'Title');
    const version = { version: (await agent.memory.get(world.userId)).version };
    await agent.memory.change(world.userId, { ...version, sections: { person: 'memory-of-a' } });
    const before = model.requests.length;
    const other = await createPanel(server, await invited(server, panel)).account.me.query();
    const theirs = threadOf(agent, other?.id ?? '');
    await talk(theirs, 0, 1, 2, 3);
    const requests = model.requests.slice(before);
    expect(requests.some(isHelper)).toBe(true);
    expect(requests.filter((request) => /canary-of-a|memory-of-a/.test(request.text))).toEqual([]);
    await expect.poll(async () => (await theirs.snapshot()).view.title).toBe('Title');
  });
});

describe('what is remembered of a person', () => {
  const bare = '/api/v1/instance-ai';
  const remember = use('remember', { section: 'notes', mode: 'add', text: 'They like tea' });

  const withMemory = async (environment = {}) => {
    const turns: Record<string, Turn[]> = { keep: [remember, { text: 'Kept.' }] };
    const world = await withAgent((request) => {
      if (isHelper(request)) return { text: 'A title' };
      const [turn = { text: 'Yes.' }] = turns[/keep/.test(textOf(request)) ? 'keep' : '']?.splice(0, 1) ?? [];
      return turn;
    }, environment);
    const { server, panel, agent, userId, model } = world;
    const { version } = await agent.memory.get(userId);
    await agent.memory.change(userId, { version, sections: { person: 'canary' } });
    /** The main requests of one message of a token with these scopes. */
    const asked = async (scopes: TokenScope[], message: string) => {
      const { token } = await panel.tokens.create.mutate({ name: 'script', scopes });
      const headers = { authorization: `Bearer ${token}` };
      const before = model.requests.length;
      const threadId = `of-${scopes.join('-')}`;
      await server.send(`${bare}/chat/${threadId}`, { method: 'POST', headers, body: { message } });
      const thread = threadOf(agent, userId, threadId);
      return {
        ...thread,
        requests: () => model.requests.slice(before).filter((request) => !isHelper(request)),
      };
    };
    return { ...world, asked };
  };

  it('AG-05 is not shown to a token without the scope `memory`', async () => {
    const { asked } = await withMemory();
    const { until, requests } = await asked(['chat'], 'hi');
    await until('run-finish');
    expect(requests()).not.toEqual([]);
    for (const { text, tools } of requests())
      expect([text.includes('canary'), tools.includes('remember')]).toEqual([false, false]);
  });

  it('is shown to a token with it, and the person is asked before such a run adds to it', async () => {
    const { asked, agent, userId } = await withMemory();
    const { until, requests } = await asked(['chat', 'memory'], 'keep');
    const { payload } = await until('confirmation-request');
    expect(payload).toMatchObject({ toolName: 'remember', approval: { text: 'They like tea' } });
    expect(requests()[0]?.text).toContain('user/profile');
    expect(requests()[0]?.text).toContain('canary');
    expect((await agent.memory.get(userId)).sections.notes).toBe('');
  });

  it('is neither shown nor added to where the person or the server has switched it off', async () => {
    const { agent, userId, say, until, model } = await withMemory();
    const { version } = await agent.memory.get(userId);
    await agent.memory.change(userId, { version, enabled: false });
    await say('hi');
    await until('run-finish');
    const off = await withMemory({ AGENT_MEMORY_NAMESPACE: 'none' });
    await off.say('hi');
    await off.until('run-finish');
    for (const { text, tools } of [model.requests[0], off.model.requests[0]].flatMap((one) => one ?? []))
      expect([text.includes('canary'), tools.includes('remember'), /Use remember/.test(text)]).toEqual([
        false,
        false,
        false,
      ]);
  });
});
