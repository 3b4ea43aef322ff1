import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { ViewAsk } from '@drawbridge/contracts/agent/threads';
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { agentWorldOf, emptySnapshot, type AgentWorld } from '../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { confirmationOf } from '../../../test/worlds.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import ChatThread from './chat-thread.vue';

let bench: Bench;
let wrapper: VueWrapper;
afterEach(async () => {
  wrapper.unmount();
  await bench.close();
});

const usage = { inputTokens: 1_000, outputTokens: 200, cachedTokens: 0, costMicro: 210_000 };
const head = (ts: number) => ({ runId: 'run_1', agentId: 'main', ts });
const begin: StoredEvent[] = [
  {
    ...{ type: 'user-message', runId: 'run_1', agentId: null, ts: 1 },
    payload: { messageId: 'm1', text: 'Read a.txt', files: [], source: 'sent' },
  },
  { type: 'run-start', ...head(2), payload: { messageId: 'm1', kind: 'message' } },
];
const call: StoredEvent = {
  ...{ type: 'tool-call', ...head(3) },
  payload: { toolCallId: 'tc1', toolName: 'write_file', args: { filePath: 'a.txt' }, requestId: 'r1' },
};
const asking = (change: Partial<ViewAsk>): StoredEvent => ({
  ...{ type: 'confirmation-request', ...head(4) },
  payload: {
    ...{
      requestId: 'ask_1',
      toolCallId: 'tc1',
      toolName: 'x',
      args: {},
      severity: 'info',
      message: 'Really?',
    },
    ...{ inputType: 'approval', expiresAt: null, approval: { text: 'exactly this' } },
    ...change,
  },
});

const open = async (change: Partial<AgentWorld> = {}, isNew = false) => {
  bench = await setBench({
    agent: agentWorldOf(change),
    confirmations: [confirmationOf()],
  });
  await useMachinesStore().load();
  wrapper = mount(ChatThread, {
    props: { threadId: 'th_1', isNew },
    global: bench.global,
    attachTo: document.body,
  });
  if (!isNew) await expect.poll(() => bench.fixture.followers()).toBe(1);
  return wrapper;
};
let seq = 0;
const stream = async (...events: StoredEvent[]) => {
  for (const event of events) bench.fixture.frame({ type: 'event', id: (seq += 1), event });
  await expect.poll(() => wrapper.findComponent({ name: 'MessageList' }).exists()).toBe(true);
};
const start = async (...events: StoredEvent[]) => {
  seq = 0;
  await open();
  await stream(...events);
};
const find = (name: string) => wrapper.find(`[data-test=${name}]`);
const shown = async (name: string) => {
  await expect.poll(() => find(name).exists()).toBe(true);
  return find(name);
};
const changes = () => bench.fixture.world.agent.calls;

it('shows a run as it happens, and what it used', async () => {
  await start(...begin);
  bench.fixture.frame({
    type: 'live',
    event: { type: 'text-delta', ...head(3), payload: { text: 'I **re', step: 0, offset: 0 } },
  });
  expect((await shown('live-text')).text()).toBe('I **re');
  expect((await shown('status')).text()).toBe('Writing');
  await stream(
    { type: 'text-block', ...head(3), payload: { text: 'I **read** it.', step: 0 } },
    call,
    { type: 'tool-result', ...head(23), payload: { toolCallId: 'tc1', result: 'hello', outcome: 'denied' } },
    { type: 'run-finish', ...head(1_002), payload: { status: 'completed', usage } },
  );
  expect((await shown('usage')).text()).toBe('1,200 tokens · cost 0.21 · 1.0 s');
  expect(find('ended-at').attributes('datetime')).toBe('1970-01-01T00:00:01.002Z');
  await find('usage').trigger('click');
  await expect
    .poll(() => document.querySelector('[data-test=run-details]')?.textContent)
    .toContain('3 steps of 100 · 7 calls');
  expect(document.querySelector('[data-test=events]')?.textContent).toMatch(/^1 event7 · text-block.*"Raw"/s);
  expect([find('live-text').exists(), find('markdown').html()]).toEqual([
    false,
    expect.stringContaining('<strong'),
  ]);
  expect(find('call').text()).toBe('Write a.txt · denied · 20 ms');
  await find('call').get('button').trigger('click');
  expect([find('call').text(), find('call').get('a').attributes('href')]).toEqual([
    expect.stringContaining('hello'),
    '/activity/r1',
  ]);
});

it.each([
  ['approve', { kind: 'approval', approved: true, scope: 'once' }],
  ['approve-session', { kind: 'approval', approved: true, scope: 'session' }],
  ['deny', { kind: 'approval', approved: false }],
])('answers a question: %s', async (button, answer) => {
  await start(...begin, call, asking({}));
  expect((await shown('approval')).text()).toBe('exactly this');
  await find(button).trigger('click');
  expect(changes()).toEqual([]);
  bench.clock.advance(500);
  await flushPromises();
  await find(button).trigger('click');
  await expect.poll(changes).toEqual([['confirm', { requestId: 'ask_1', answer }]]);
  await stream({
    type: 'confirmation-closed',
    ...head(5),
    payload: { requestId: 'ask_1', outcome: 'answered' },
  });
  await expect.poll(() => find('ask').exists()).toBe(false);
});

const awake = async () => {
  await shown('ask');
  bench.clock.advance(500);
  await flushPromises();
};

it('shows the whole address of a page, and answers for its host', async () => {
  const url = `https://example.org/?q=${'x'.repeat(600)}`;
  await start(
    ...begin,
    call,
    asking({ inputType: 'domain-access', domainAccess: { url, host: 'example.org', warnings: ['Long'] } }),
  );
  await awake();
  expect([find('url').text(), find('ask').text()]).toEqual([url, expect.stringContaining('Long')]);
  await find('approve-domain').trigger('click');
  await expect
    .poll(() => changes().at(-1)?.[1])
    .toMatchObject({ answer: { kind: 'domainAccessApprove', domainAccessAction: 'allow_domain' } });
});

it('answers questions, and says which were left open', async () => {
  const questions = [
    { id: 'q1', question: 'Which?', type: 'single' as const, options: ['one', 'two'] },
    { id: 'q2', question: 'Why?', type: 'text' as const },
  ];
  await start(...begin, call, asking({ inputType: 'questions', questions }));
  await awake();
  await wrapper.findAll('input[type=radio]')[1]?.trigger('change');
  await find('ask').get('form').trigger('submit');
  await expect
    .poll(() => changes().at(-1)?.[1])
    .toMatchObject({
      answer: {
        kind: 'questions',
        answers: [
          { questionId: 'q1', selectedOptions: ['two'] },
          { questionId: 'q2', selectedOptions: [], skipped: true },
        ],
      },
    });
});

it('shows a plan as a graph, and asks for another one', async () => {
  const task = (id: string, deps: string[]) => ({
    ...{ id, title: id.toUpperCase(), kind: 'delegate' as const, spec: 'Do it', deps, tools: ['read_file'] },
  });
  const planItems = [task('d', ['b', 'c']), task('a', []), task('b', ['a']), task('c', ['a'])];
  await start(...begin, call, asking({ inputType: 'plan-review', planItems }));
  await awake();
  expect(wrapper.findAll('[data-test=plan] > li').map((line) => line.attributes('data-level'))).toEqual([
    '0',
    '1',
    '1',
    '2',
  ]);
  await find('change').trigger('click');
  await find('ask').get('textarea').setValue('Smaller steps');
  await find('feedback').trigger('click');
  await expect
    .poll(() => changes().at(-1)?.[1])
    .toMatchObject({ answer: { kind: 'planDeny', feedback: 'Smaller steps' } });
});

it('shows a question of the machine in its place, and nowhere else', async () => {
  await start(...begin, call);
  await useConfirmationsStore().load();
  expect(useConfirmationsStore().elsewhere).toHaveLength(1);
  const resourceDecision = { confirmationId: 'c1', resource: 'a.txt', description: 'Write', options: [] };
  await stream(asking({ requestId: 'r1', inputType: 'resource-decision', resourceDecision }));
  expect((await shown('confirmation')).text()).toContain('a.txt');
  expect(useConfirmationsStore().elsewhere).toEqual([]);
});

it('queues while a run is open, stops it, and offers to continue', async () => {
  await start(...begin);
  await expect.poll(() => find('stop').exists()).toBe(true);
  await wrapper.get('textarea').setValue('And b.txt');
  await wrapper.get('textarea').trigger('keydown', { key: 'Enter' });
  await expect.poll(() => changes().at(-1)).toMatchObject(['send', { message: 'And b.txt', mode: 'queue' }]);
  const escape = () => window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  // Escape that closes a menu is not the first of two.
  const menu = document.body.appendChild(Object.assign(document.createElement('div'), { role: 'menu' }));
  escape();
  menu.remove();
  escape();
  await flushPromises();
  expect(changes()).toHaveLength(1);
  expect(wrapper.text()).toContain('Press Escape again to stop');
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  await expect.poll(() => changes().at(-1)).toEqual(['cancel', { threadId: 'th_1' }]);
  escape();
  await stream({ type: 'run-finish', ...head(9), payload: { status: 'cancelled', usage } });
  await expect.poll(() => wrapper.text()).not.toContain('Press Escape again to stop');
  await (await shown('again')).trigger('click');
  await expect.poll(() => changes().at(-1)).toEqual(['continue', { threadId: 'th_1' }]);
});

it('begins a chat with its first message, and keeps a message that was refused', async () => {
  await open({ fails: { send: 'BUDGET_SPENT' } }, true);
  await find('example').trigger('click');
  const text = wrapper.get('textarea').element.value;
  await find('send').trigger('submit');
  await expect.poll(() => wrapper.text()).toContain('Not sent. Refused: BUDGET_SPENT');
  expect([wrapper.get('textarea').element.value, wrapper.emitted('begun')]).toEqual([text, undefined]);
  await find('send').trigger('submit');
  await expect.poll(() => wrapper.emitted('begun')).toHaveLength(1);
  await expect.poll(() => bench.fixture.followers()).toBe(1);
});

it('reads the snapshot again where a number is missing or the stream begins anew', async () => {
  seq = 0;
  await open({ snapshot: emptySnapshot({ lastSeq: 7, title: 'Old' }) });
  const { world } = bench.fixture;
  expect(world.agent.opened).toEqual(['7']);
  world.agent.snapshot = emptySnapshot({ lastSeq: 20, title: 'New' });
  bench.fixture.frame({ type: 'event', id: 12, event: begin[1] as StoredEvent });
  await expect.poll(() => wrapper.text()).toContain('New');
  world.agent.snapshot = emptySnapshot({ lastSeq: 40, title: 'Newest' });
  bench.fixture.frame({ type: 'reset', nextEventId: 30 });
  await expect.poll(() => wrapper.text()).toContain('Newest');
});

it('closes its stream 30 s after the window is hidden, and opens it again where it was', async () => {
  seq = 0;
  await open();
  await stream(...begin);
  await expect.poll(() => find('run').exists()).toBe(true);
  const visibility = (state: DocumentVisibilityState) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
    document.dispatchEvent(new Event('visibilitychange'));
  };
  visibility('hidden');
  bench.clock.advance(29_999);
  expect(bench.fixture.followers()).toBe(1);
  bench.clock.advance(1);
  await expect.poll(() => bench.fixture.followers()).toBe(0);
  visibility('visible');
  await expect.poll(() => bench.fixture.world.agent.opened).toEqual(['0', '2']);
});

it('lists queued messages, and background tasks with a way to redirect and to stop them', async () => {
  await start(...begin, {
    ...{ type: 'agent-spawned', runId: 'run_1', agentId: 'bg', ts: 3 },
    payload: {
      parentId: 'main',
      role: 'watcher',
      kind: 'background',
      tools: [],
      taskId: 't1',
      title: 'Watch',
    },
  });
  const queued = { id: 'm2', text: 'Later', files: [], createdAt: '2026-01-01T00:00:00.000Z' };
  bench.fixture.frame({
    type: 'run-sync',
    now: { ...emptySnapshot().now, status: 'active', queue: [queued], queuePaused: true },
  });
  expect((await shown('queue')).text()).toContain('Later');
  await find('queue').get('[aria-label="Remove the message"]').trigger('click');
  await expect.poll(() => changes().at(-1)).toEqual(['queue.remove', { threadId: 'th_1', id: 'm2' }]);
  await expect.poll(() => find('queue').exists()).toBe(false);
  await find('background').get('[aria-label="Redirect Watch"]').trigger('click');
  await find('background').get('input').setValue('Less often');
  await find('background').get('form').trigger('submit');
  await expect
    .poll(() => changes().at(-1))
    .toEqual(['tasks.correct', { threadId: 'th_1', taskId: 't1', text: 'Less often' }]);
  await find('background').get('[aria-label="Stop Watch"]').trigger('click');
  await expect.poll(() => changes().at(-1)).toEqual(['tasks.cancel', { threadId: 'th_1', taskId: 't1' }]);
});

it('shows the answer to a command, which is no message', async () => {
  await start(...begin);
  const enter = async (text: string) => {
    await wrapper.get('textarea').setValue(text);
    await wrapper.get('textarea').trigger('keydown', { key: 'Enter' });
  };
  await enter('/queue');
  expect((await shown('answer')).text()).toBe('mode: followup (server)\nNo message waits.');
  expect([wrapper.get('textarea').element.value, changes().map(([name]) => name)]).toEqual(['', ['send']]);
  await enter('/etc/hosts is what?');
  await expect.poll(() => changes().map(([name]) => name)).toEqual(['send', 'send']);
  expect(find('answer').exists()).toBe(false);
});
