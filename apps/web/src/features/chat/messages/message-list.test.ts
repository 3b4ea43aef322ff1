import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { expect, it } from 'vitest';
import { agentWorldOf, emptySnapshot } from '../../../../test/fixture-agent.ts';
import { messageEvents, openChat } from '../../../../test/chat.ts';
import { setBench } from '../../../../test/mounting.ts';

it('a message that is asked again is one line, which opens', async () => {
  const bench = await setBench({ agent: agentWorldOf({ snapshot: emptySnapshot() }) });
  const wrapper = await openChat(bench);
  const question = 'Which of these?\none\ntwo';
  const texts = [question, question, 'And this?'];
  const events = texts.flatMap((text, at) => messageEvents(text, 1 + 10 * at));
  for (const [at, event] of events.entries()) bench.fixture.frame({ type: 'event', id: at + 1, event });
  const own = () => wrapper.findAll('[data-role=user]');
  await expect.poll(() => own().length).toBe(3);
  const repeats = own().map((one) => one.find('[data-test=repeat]'));
  expect(repeats.map((one) => one.exists())).toEqual([false, true, false]);
  expect(repeats[1]?.get('summary').text()).toBe('Sent again: Which of these?');
  expect(repeats[1]?.attributes('open')).toBeUndefined();
  expect(repeats[1]?.text()).toContain(question);
  wrapper.unmount();
  await bench.close();
});

it('a line says how its call ended and why it failed, with a colour for that word alone; a question has no line', async () => {
  const bench = await setBench({ agent: agentWorldOf() });
  const wrapper = await openChat(bench);
  const head = { runId: 'run_1', agentId: 'main', ts: 3 };
  const callOf = (toolCallId: string, toolName = 'read_file'): StoredEvent => ({
    ...{ type: 'tool-call', ...head },
    payload: { toolCallId, toolName, args: { path: toolCallId } },
  });
  const endOf = (toolCallId: string, outcome: 'ok' | 'failed'): StoredEvent => ({
    ...{ type: 'tool-result', ...head, ts: 23 },
    payload: { toolCallId, result: outcome === 'ok' ? '' : 'Error: No such file:\nb', outcome },
  });
  const askOf = (toolCallId: string): StoredEvent => ({
    ...{ type: 'confirmation-request', ...head },
    payload: {
      ...{ requestId: `ask ${toolCallId}`, toolCallId, toolName: 'x', args: {}, severity: 'info' },
      ...{ message: 'Really?', inputType: 'approval', expiresAt: null },
    },
  });
  const calls = [callOf('a'), callOf('b'), callOf('c'), callOf('d', 'ask-user')];
  const ends = [endOf('a', 'ok'), endOf('b', 'failed'), askOf('c'), askOf('d')];
  for (const [at, event] of [...messageEvents('Go'), ...calls, ...ends].entries())
    bench.fixture.frame({ type: 'event', id: at + 1, event });
  await expect.poll(() => wrapper.findAll('[data-test=ask]').length).toBe(2);
  const lines = wrapper.findAll('[data-test=call]');
  expect(lines.map((line) => line.text())).toEqual([
    ...['Read a · 20 ms', 'Read b · failed: No such file · 20 ms'],
  ]);
  const toned = wrapper.findAll('[data-test=line] [class*=text-]');
  expect(toned.map((one) => [one.text(), one.classes()])).toEqual([['failed', ['text-error']]]);
  expect(wrapper.get('[data-test=status]').text()).toBe('2 questions for you');
  wrapper.unmount();
  await bench.close();
});

it('an open call says how long it runs; the details of a failed one have its reason, and the line no more', async () => {
  const bench = await setBench({ agent: agentWorldOf() });
  const wrapper = await openChat(bench);
  const head = { runId: 'run_1', agentId: 'main', ts: bench.clock.now() };
  const callOf = (toolCallId: string, args: Record<string, unknown>): StoredEvent => ({
    ...{ type: 'tool-call', ...head },
    payload: { toolCallId, toolName: 'read_file', args },
  });
  const failed: StoredEvent = {
    ...{ type: 'tool-result', ...head, ts: head.ts + 20 },
    payload: { toolCallId: 'b', result: 'Nothing exists at this path', outcome: 'failed' },
  };
  const calls = [callOf('a', { filePath: 'a' }), callOf('b', { filePath: 'b', maxLines: 20 }), failed];
  for (const [at, event] of [...messageEvents('Go'), ...calls].entries())
    bench.fixture.frame({ type: 'event', id: at + 1, event });
  const lines = () => wrapper.findAll('[data-test=line]').map((line) => line.text());
  const cause = ': Nothing exists at this path';
  await expect.poll(lines).toEqual(['Read a · running · 0 s', `Read b · failed${cause} · 20 ms`]);
  bench.clock.advance(12_000);
  await expect.poll(lines).toEqual(['Read a · running · 12 s', `Read b · failed${cause} · 20 ms`]);
  const call = wrapper.findAll('[data-test=call]')[1];
  await call?.get('button').trigger('click');
  expect(lines()[1]).toBe('Read b · failed · 20 ms');
  const details = document.getElementById(call?.get('button').attributes('aria-controls') ?? '');
  expect(details?.textContent?.split('Nothing exists').length).toBe(2);
  const terms = wrapper.findAll('[data-test=arguments] > div').map((row) => row.text());
  expect(terms).toEqual(['Fileb', 'Max lines20']);
  wrapper.unmount();
  await bench.close();
});

it('a command is apart from its end and its cause; opened, it is said once', async () => {
  const bench = await setBench({ agent: agentWorldOf() });
  const wrapper = await openChat(bench);
  const head = { runId: 'run_1', agentId: 'main', ts: 3 };
  const events: StoredEvent[] = [
    {
      ...{ type: 'tool-call', ...head },
      payload: { toolCallId: 'a', toolName: 'shell_execute', args: { command: 'npm run lint' } },
    },
    {
      ...{ type: 'tool-error', ...head, ts: 182 },
      payload: {
        toolCallId: 'a',
        error: '{"stdout":"","stderr":"first\\nMissing script: lint\\n","exitCode":1}',
        outcome: 'failed',
      },
    },
  ];
  for (const [at, event] of [...messageEvents('Go'), ...events].entries())
    bench.fixture.frame({ type: 'event', id: at + 1, event });
  const line = () => wrapper.get('[data-test=line]');
  await expect.poll(() => line().find('[data-test=cause]').exists()).toBe(true);
  expect(line().text()).toBe('Run npm run lint · failed · 179 msMissing script: lint');
  expect(line().get('.font-mono').text()).toBe('npm run lint');
  expect(line().get('[class*=line-clamp]').text()).not.toContain('failed');
  await wrapper.get('[data-test=call] button').trigger('click');
  expect(line().text()).toBe('Run a command · failed · 179 ms');
  expect(wrapper.get('[data-test=call]').text().split('npm run lint')).toHaveLength(2);
  wrapper.unmount();
  await bench.close();
});

it('below a run whose tasks work on stands how far they are; what it used and "Ask again" follow their end', async () => {
  const bench = await setBench({ agent: agentWorldOf() });
  const wrapper = await openChat(bench);
  const head = (agentId: string) => ({ runId: 'run_1', agentId, ts: 3 });
  const item = { kind: 'delegate', spec: '', deps: [], tools: [] };
  const planOf = (state: 'active' | 'completed'): StoredEvent => ({
    ...{ type: 'tasks-update', ...head('main') },
    payload: {
      tasks: { tasks: [] },
      plan: {
        ...{ planId: 'p', title: 'Move it', state },
        items: [
          { ...item, id: 'r', title: 'Read', state: 'succeeded', agentId: 'a1' },
          { ...item, id: 'w', title: 'Write', state: 'waiting' },
        ],
      },
    },
  });
  const spawned = (agentId: string, kind: 'planned' | 'background'): StoredEvent => ({
    ...{ type: 'agent-spawned', ...head(agentId) },
    payload: { parentId: 'main', role: 'delegate', kind, tools: [], goal: 'Go' },
  });
  const completed = (agentId: string): StoredEvent => ({
    ...{ type: 'agent-completed', ...head(agentId) },
    payload: { role: 'delegate', status: 'completed', result: 'Done.' },
  });
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };
  let seq = 0;
  const stream = (...events: StoredEvent[]) => {
    for (const event of events) bench.fixture.frame({ type: 'event', id: (seq += 1), event });
  };
  stream(...messageEvents('Go'), spawned('a1', 'planned'), spawned('a2', 'background'), completed('a1'));
  stream(planOf('active'), {
    ...{ type: 'run-finish', ...head('main') },
    payload: { status: 'completed', usage },
  });
  const has = (name: string) => wrapper.find(`[data-test=${name}]`).exists();
  const work = () => (has('work') ? wrapper.get('[data-test=work]').text() : '');
  await expect.poll(work).toBe('Plan: 1 of 2 done');
  stream(planOf('completed'));
  await expect.poll(work).toBe('1 task running');
  expect([has('usage'), has('ask-again')]).toEqual([false, false]);
  const agents = () => wrapper.findAll('[data-test=agent]');
  const isClosed = (one: ReturnType<typeof agents>[number]) =>
    one.get('button').attributes('aria-expanded') === 'false';
  const openAll = async () => {
    for (const one of agents().filter(isClosed)) await one.get('button').trigger('click');
    return agents().filter(isClosed).length;
  };
  await expect.poll(openAll).toBe(0);
  const said = { type: 'text-block', payload: { text: 'Done.\n', step: 0 } } as const;
  stream({ ...said, ...head('a2') }, completed('a2'));
  await expect.poll(() => [has('work'), has('usage'), has('ask-again')]).toEqual([false, true, true]);
  // A result is shown where the last text of its agent did not say it.
  // What was opened before is still open.
  await expect.poll(() => agents().map((one) => one.text().split('Done.').length - 1)).toEqual([1, 1]);
  wrapper.unmount();
  await bench.close();
});
