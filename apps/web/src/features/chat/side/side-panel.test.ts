import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { messageEvents, openChat } from '../../../../test/chat.ts';
import { agentWorldOf, emptySnapshot } from '../../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { router } from '../../../../test/router.ts';
import ChatThread from '../chat-thread.vue';

let bench: Bench;
let wrapper: VueWrapper;
afterEach(async () => {
  wrapper.unmount();
  await bench.close();
  vi.restoreAllMocks();
});

const wide = (media: string) =>
  // What `useMediaQuery` reads of it.
  Object.assign(new EventTarget(), { matches: true, media }) as MediaQueryList;
const document = { title: null, metadata: null, rev: 1, createdAt: '', updatedAt: '' };
const markdown = '# Plan\n<img src=x onerror=alert(1)>[link](javascript:alert(1))';

/** A chat in a window that is wide enough for its side. */
const openWide = async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(wide);
  bench = await setBench({ agent: agentWorldOf({}) });
  await router.push('/chat/th_1');
  wrapper = mount(ChatThread, {
    props: { threadId: 'th_1', isNew: false },
    global: bench.global,
    attachTo: window.document.body,
  });
  await expect.poll(() => bench.fixture.followers()).toBe(1);
};

it('shows the documents of a chat: a note as formatted text without HTML, the others as JSON', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(wide);
  bench = await setBench({
    agent: agentWorldOf({
      snapshot: { ...emptySnapshot(), now: { ...emptySnapshot().now, canvasRev: 1 } },
      artifacts: [
        { ...document, artifactId: 'summary', type: 'note', content: { markdown } },
        { ...document, artifactId: 'data', type: 'chart', content: { markdown: '<b>1</b>' } },
      ],
    }),
  });
  wrapper = mount(ChatThread, {
    props: { threadId: 'th_1', isNew: false },
    global: bench.global,
    attachTo: window.document.body,
  });
  const find = (name: string) => wrapper.find(`[data-test=${name}]`);
  await expect.poll(() => find('canvas').exists()).toBe(true);
  const buttons = find('canvas').findAll('button');
  expect(buttons.map((button) => button.text())).toEqual(['summary', 'data']);
  await buttons[0]?.trigger('click');
  await expect.poll(() => find('artifact').exists()).toBe(true);
  expect(find('artifact').find('[data-test=markdown]').text()).toContain('Plan');
  expect(find('artifact').findAll('img, a[href^=javascript]')).toEqual([]);
  await buttons[1]?.trigger('click');
  await expect.poll(() => find('artifact').find('pre').exists()).toBe(true);
  expect(find('artifact').find('pre').text()).toContain('"markdown": "<b>1</b>"');
});

it('what a webhook has sent is shown as its words, and a plan can be stopped while no run is open', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(wide);
  bench = await setBench({ agent: agentWorldOf({}) });
  wrapper = mount(ChatThread, {
    props: { threadId: 'th_1', isNew: false },
    global: bench.global,
    attachTo: window.document.body,
  });
  await expect.poll(() => bench.fixture.followers()).toBe(1);
  const head = { runId: 'run_1', agentId: 'main', ts: 1 };
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };
  const text = '{"event":"deploy"}';
  const task = { id: 'k', title: 'Final check', kind: 'checkpoint', spec: '', deps: [], tools: [] };
  const items = [
    { ...task, id: 'c', title: 'Copy', deps: ['r', 'w'], state: 'waiting' as const },
    { ...task, id: 'r', title: 'Read', state: 'succeeded' as const },
    { ...task, id: 'w', title: 'Write', deps: ['r'], state: 'running' as const },
    { ...task, deps: ['c', 'w'], state: 'waiting' as const },
  ];
  const plan = { planId: 'p', title: 'Move it', state: 'active' as const, items };
  const events: StoredEvent[] = [
    {
      ...{ type: 'user-message', ...head },
      payload: { messageId: 'm1', text, files: [], source: 'sent', hook: 'deploys' },
    },
    { type: 'run-start', ...head, payload: { messageId: 'm1', kind: 'message' } },
    { type: 'tasks-update', ...head, payload: { tasks: { tasks: [] }, plan } },
    { type: 'run-finish', ...head, payload: { status: 'completed', usage } },
  ];
  events.forEach((event, at) => bench.fixture.frame({ type: 'event', id: at + 1, event }));
  const find = (name: string) => wrapper.find(`[data-test=${name}]`);
  await expect.poll(() => find('stop-plan').exists()).toBe(true);
  expect(find('delivery').text()).toBe('deploys sent');
  expect([wrapper.text().includes(text), wrapper.text().includes('You: ')]).toEqual([true, false]);
  const lines = wrapper.findAll('[data-test=task]');
  expect([find('plan-done').text(), lines.map((line) => line.text().replaceAll(/\s+/g, ' '))]).toEqual([
    '1 of 4 done',
    ['Read — done', 'Write — running', 'Copy — waits for 2', 'Final check — waits for 2, 3'],
  ]);
  // What is done has a tick: its word is for those who do not see it.
  expect(lines.map((line) => line.find('.sr-only').exists())).toEqual([true, false, false, false]);
  const details = find('details');
  await details.trigger('click');
  const opened = window.document.getElementById(details.attributes('aria-controls') ?? '');
  expect([details.attributes('aria-expanded'), opened?.textContent]).toEqual([
    'true',
    expect.stringContaining('May use'),
  ]);
  // Names of tools alone look like code.
  expect(find('tools').find('.font-mono').exists()).toBe(false);
  // Beside the title it would leave it half of the width.
  expect(find('plan').element.nextElementSibling).toBe(find('stop-plan').element);
  await find('stop-plan').trigger('click');
  await expect.poll(() => bench.fixture.world.agent.calls.at(-1)).toEqual(['cancel', { threadId: 'th_1' }]);
});

it('an agent of the tree leads to its work in the chat, which opens', async () => {
  await openWide();
  const head = (agentId: string) => ({ runId: 'run_1', agentId, ts: 1 });
  const spawned = { role: 'reader', kind: 'delegate' as const, tools: [] };
  const events: StoredEvent[] = [
    {
      ...{ type: 'user-message', ...head('main') },
      payload: { messageId: 'm1', text: 'Go', files: [], source: 'sent' },
    },
    { type: 'run-start', ...head('main'), payload: { messageId: 'm1', kind: 'message' } },
    { type: 'agent-spawned', ...head('a1'), payload: { ...spawned, parentId: 'main', goal: 'Read all' } },
    { type: 'agent-spawned', ...head('a2'), payload: { ...spawned, parentId: 'a1', goal: 'Read more' } },
  ];
  events.forEach((event, at) => bench.fixture.frame({ type: 'event', id: at + 1, event }));
  const links = () => wrapper.findAll('[data-test=to-agent]');
  await expect.poll(() => links().length).toBe(2);
  expect(wrapper.text()).not.toContain('Read more');
  await links()[1]?.trigger('click');
  await expect.poll(() => wrapper.text()).toContain('Read more');
});

it('beside a chat stand the sub-agents that work, of all runs, and those of the newest run that had any', async () => {
  await openWide();
  let seq = 0;
  const start = bench.clock.now();
  const stream = (...events: StoredEvent[]) => {
    for (const event of events) bench.fixture.frame({ type: 'event', id: (seq += 1), event });
  };
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };
  const runOf = (at: number, ...events: StoredEvent[]) => [
    ...messageEvents('Go', at),
    ...events,
    {
      ...{ type: 'run-finish' as const, runId: `run_${at}`, agentId: 'main', ts: at + 8 },
      payload: { status: 'completed' as const, usage },
    },
  ];
  const spawned = (agentId: string, at: number, kind: 'background' | 'delegate'): StoredEvent => ({
    ...{ type: 'agent-spawned', runId: `run_${at}`, agentId, ts: at + 2 },
    payload: { parentId: 'main', role: agentId, kind, tools: [] },
  });
  const ended = (agentId: string, at: number): StoredEvent => ({
    ...{ type: 'agent-completed', runId: `run_${at}`, agentId, ts: at + 3 },
    payload: { role: agentId, status: 'completed', result: '' },
  });
  const lines = () =>
    wrapper.findAll('[data-test=side] li').map((line) => line.text().replaceAll(/\s+/g, ' '));
  stream(
    ...runOf(
      start,
      spawned('watcher', start, 'background'),
      spawned('reader', start, 'delegate'),
      ended('reader', start),
    ),
  );
  await expect.poll(lines).toEqual(['Readerdone · 1 ms', 'Watcherrunning · 0 s']);
  stream(
    ...runOf(start + 10, spawned('checker', start + 10, 'delegate'), ended('checker', start + 10)),
    ...runOf(start + 20),
  );
  await expect.poll(lines).toEqual(['Watcherrunning · 0 s', 'Checkerdone · 1 ms']);
  expect(wrapper.get('[data-test=side]').text()).not.toContain('token');
  stream(ended('watcher', start));
  await expect.poll(lines).toEqual(['Checkerdone · 1 ms']);
});

it('a task of a plan has one state, its title leads to its agent, and it stands in no other list', async () => {
  await openWide();
  const head = (agentId: string) => ({ runId: 'run_1', agentId, ts: bench.clock.now() });
  const spawned = (taskId: string, title: string) => ({
    ...{ parentId: 'main', role: 'delegate', kind: 'planned' as const, tools: [], taskId, title },
    goal: `Goal of ${title}`,
  });
  const task = { kind: 'delegate', spec: '', deps: [], tools: [], state: 'running' as const };
  const items = [
    { ...task, id: 'r', title: 'Rewrite', agentId: 'a1' },
    { ...task, id: 'c', title: 'Check', agentId: 'a2' },
  ];
  const events: StoredEvent[] = [
    {
      ...{ type: 'user-message', ...head('main') },
      payload: { messageId: 'm1', text: 'Go', files: [], source: 'sent' },
    },
    { type: 'run-start', ...head('main'), payload: { messageId: 'm1', kind: 'message' } },
    { type: 'agent-spawned', ...head('a1'), payload: spawned('a1', 'Rewrite') },
    { type: 'agent-spawned', ...head('a2'), payload: spawned('a2', 'Check') },
    {
      ...{ type: 'tasks-update', ...head('main') },
      payload: { tasks: { tasks: [] }, plan: { planId: 'p', title: 'Move it', state: 'active', items } },
    },
    {
      ...{ type: 'tool-call', ...head('a1') },
      payload: { toolCallId: 'tc1', toolName: 'write_file', args: {} },
    },
    {
      ...{ type: 'confirmation-request', ...head('a1') },
      payload: {
        ...{ requestId: 'r1', toolCallId: 'tc1', toolName: 'write_file', args: {}, severity: 'warning' },
        ...{ message: 'Write?', inputType: 'approval', expiresAt: null },
      },
    },
  ];
  events.forEach((event, at) => bench.fixture.frame({ type: 'event', id: at + 1, event }));
  const side = () => wrapper.get('[data-test=side]');
  const lines = () => wrapper.findAll('[data-test=plan] > li');
  await expect.poll(() => lines().length).toBe(2);
  await expect
    .poll(() => lines().map((line) => line.get('[data-test=task]').text().replaceAll(/\s+/g, ' ')))
    .toEqual(['Rewrite — waits for you', 'Check — running · 0 s']);
  expect(lines().map((line) => line.findAll('.animate-spin').length)).toEqual([0, 1]);
  expect(side().text()).not.toContain('Sub-agents');
  const named = wrapper.findAll('[data-test=agent]').filter((line) => line.text().includes('Check'));
  expect([named.length, named[0]?.get('button').text()]).toEqual([1, 'Check · running · 0 s']);
  // On the line of the task, not below its work.
  const controls = named[0]?.get('button').element.nextElementSibling;
  expect(controls?.matches('[data-test=background]')).toBe(true);
  expect(wrapper.find('[data-test=work-bar]').exists()).toBe(false);
  await lines()[1]?.get('[data-test=to-agent]').trigger('click');
  await expect.poll(() => router.currentRoute.value.query['agent']).toBe('a2');
});

it('what works is one line above the prompt of a narrow window, which opens its list', async () => {
  bench = await setBench({ agent: agentWorldOf({}) });
  wrapper = await openChat(bench);
  const task = { kind: 'delegate', spec: '', deps: [], tools: [] };
  const items = [
    { ...task, id: 'r', title: 'Read', state: 'succeeded' as const },
    { ...task, id: 'w', title: 'Write', state: 'running' as const },
    { ...task, id: 'c', title: 'Copy', state: 'running' as const },
  ];
  const update = (state: 'active' | 'completed'): StoredEvent => ({
    ...{ type: 'tasks-update', runId: 'run_1', agentId: 'main', ts: 3 },
    payload: { tasks: { tasks: [] }, plan: { planId: 'p', title: 'Move it', state, items } },
  });
  const events = [...messageEvents('Go'), update('active')];
  for (const [at, event] of events.entries()) bench.fixture.frame({ type: 'event', id: at + 1, event });
  const bar = () => wrapper.find('[data-test=work-bar]');
  await expect.poll(() => bar().exists()).toBe(true);
  expect(bar().text()).toBe('Plan: 1 of 3 · Write and 1 more');
  await bar().trigger('click');
  await expect.poll(() => window.document.querySelector('[data-test=plan]')).not.toBeNull();
  bench.fixture.frame({ type: 'event', id: events.length + 1, event: update('completed') });
  await expect.poll(() => bar().exists()).toBe(false);
  // So are tasks in the background, also those of an earlier run.
  const watcher = { parentId: 'main', role: 'watcher', kind: 'background' as const, tools: [] };
  const later: StoredEvent[] = [
    { type: 'agent-spawned', runId: 'run_1', agentId: 'a1', ts: 4, payload: watcher },
    ...messageEvents('And this?', 11),
  ];
  for (const [at, event] of later.entries())
    bench.fixture.frame({ type: 'event', id: events.length + 2 + at, event });
  await expect.poll(() => bar().exists() && bar().text()).toBe('1 task running · Watcher');
});
