import { storedEvent, type LiveThreadEvent, type StoredEvent } from '@drawbridge/contracts/agent/events';
import { threadView, type ThreadView } from '@drawbridge/contracts/agent/threads';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { liveOf, noLive, reduceLive, settleLive } from './live.ts';
import { emptyView, reduce, withOlder } from './reduce.ts';
import { openTasks, tree } from './tree.ts';

const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 };
const head = (agentId: string | null, ts: number) => ({ runId: 'run_1', agentId, ts });

/** A run with a delegate that asks, a background task, a steered message and an error. */
const story: StoredEvent[] = [
  {
    type: 'user-message',
    runId: 'run_1',
    agentId: null,
    ts: 1,
    payload: { messageId: 'm1', text: 'Go', files: [], source: 'sent' },
  },
  { type: 'run-start', ...head('main', 2), payload: { messageId: 'm1', kind: 'message' } },
  { type: 'reasoning-block', ...head('main', 3), payload: { text: 'Hm', step: 0 } },
  { type: 'text-block', ...head('main', 3), payload: { text: 'I delegate.', step: 0 } },
  { type: 'tool-call', ...head('main', 3), payload: { toolCallId: 'tc1', toolName: 'delegate', args: {} } },
  {
    type: 'agent-spawned',
    ...head('sub', 4),
    payload: { parentId: 'main', role: 'writer', kind: 'delegate', tools: [] },
  },
  {
    type: 'agent-spawned',
    ...head('bg', 4),
    payload: {
      parentId: 'main',
      role: 'watcher',
      kind: 'background',
      tools: [],
      taskId: 't1',
      title: 'Watch',
    },
  },
  {
    type: 'tool-call',
    ...head('sub', 5),
    payload: { toolCallId: 'tc2', toolName: 'write_file', args: { path: 'a' }, requestId: 'r1' },
  },
  {
    type: 'confirmation-request',
    ...head('sub', 6),
    payload: {
      requestId: 'r1',
      toolCallId: 'tc2',
      toolName: 'write_file',
      args: {},
      severity: 'warning',
      message: 'Write?',
      inputType: 'resource-decision',
      expiresAt: null,
      resourceDecision: { confirmationId: 'c1', resource: 'a', description: 'Write a', options: [] },
    },
  },
  {
    type: 'user-message',
    ...head(null, 7),
    payload: { messageId: 'm2', text: 'Faster', files: [], source: 'steered' },
  },
  { type: 'confirmation-closed', ...head('sub', 8), payload: { requestId: 'r1', outcome: 'answered' } },
  { type: 'tool-result', ...head('sub', 9), payload: { toolCallId: 'tc2', result: 'done', outcome: 'ok' } },
  {
    type: 'agent-completed',
    ...head('sub', 10),
    payload: { role: 'writer', status: 'completed', result: 'Wrote it' },
  },
  { type: 'tool-error', ...head('main', 11), payload: { toolCallId: 'tc1', error: 'no', outcome: 'failed' } },
  {
    type: 'tasks-update',
    ...head('main', 12),
    payload: { tasks: { tasks: [{ id: 'a', description: 'A', status: 'done' }] } },
  },
  {
    type: 'error',
    ...head(null, 13),
    payload: { content: 'Busy', code: 'MODEL_UNAVAILABLE', retryable: true },
  },
  { type: 'thread-title-updated', runId: null, agentId: null, ts: 14, payload: { title: 'Blog' } },
  { type: 'run-finish', ...head('main', 15), payload: { status: 'error', reason: 'budget', usage } },
];
const numbered = story.map((event, at) => ({ id: at + 1, event }));
const fold = (events: typeof numbered, from: ThreadView = emptyView()) =>
  events.reduce((view, { id, event }) => reduce(view, id, event), from);

it('folds a run to what the panel shows', () => {
  const view = fold(numbered);
  expect(threadView.parse(view)).toEqual(view);
  expect(view.agents['main']).toMatchObject({
    kind: 'main',
    status: 'error',
    endedAt: 15,
    entries: [
      { type: 'reasoning', text: 'Hm', step: 0 },
      { type: 'text', text: 'I delegate.', step: 0 },
      { type: 'tool', toolCallId: 'tc1' },
      { type: 'agent', agentId: 'sub' },
      { type: 'agent', agentId: 'bg' },
      { type: 'user', messageId: 'm2' },
    ],
  });
  expect(view.runs).toEqual([
    {
      ...{ id: 'run_1', kind: 'message', messageId: 'm1', status: 'error', reason: 'budget', usage },
      errors: [{ content: 'Busy', code: 'MODEL_UNAVAILABLE', retryable: true }],
      ...{ startedAt: 2, endedAt: 15 },
    },
  ]);
  expect([view.calls['tc1']?.outcome, view.calls['tc2']]).toMatchObject([
    'failed',
    { result: 'done', requestId: 'r1' },
  ]);
  expect([view.title, view.asks, view.tasks.length, view.lastSeq]).toEqual(['Blog', {}, 1, story.length]);
});

it('shows the agents as a tree, with what waits below them', () => {
  const view = fold(numbered.slice(0, 9));
  const [main, ...others] = tree(view, 'run_1');
  expect(others).toEqual([]);
  expect([main?.agent.id, main?.waiting, main?.calls]).toEqual(['main', 1, 1]);
  expect(main?.children.map(({ agent, waiting }) => [agent.id, waiting])).toEqual([
    ['bg', 0],
    ['sub', 1],
  ]);
  expect(openTasks(view).map(({ title }) => title)).toEqual(['Watch']);
});

const events = fc.array(
  fc.oneof(
    fc.constantFrom(...story),
    fc.record({
      type: fc.constant('text-block' as const),
      runId: fc.constant('run_1'),
      agentId: fc.constantFrom('main', 'sub'),
      ts: fc.nat(),
      payload: fc.record({ text: fc.string(), step: fc.nat(3) }),
    }),
  ),
  { maxLength: 40 },
);

it('is the same with events that come again, from any event on', () => {
  fc.assert(
    fc.property(events, fc.infiniteStream(fc.nat()), (some, draws) => {
      const once = some.map((event, at) => ({ id: at + 1, event }));
      // Before each event, the stream begins again somewhere before it.
      const again = once.flatMap((one, at) => [...once.slice(draws.next().value % (at + 1), at), one]);
      expect(fold(again)).toEqual(fold(once));
    }),
  );
});

it('keeps the entries of each agent in the order of their events', () => {
  fc.assert(
    fc.property(events, (some) => {
      const view = fold(some.map((event, at) => ({ id: at + 1, event })));
      const blocks = (agentId: string) =>
        some.flatMap((event) =>
          event.type === 'text-block' && event.agentId === agentId ? [event.payload.text] : [],
        );
      for (const id of ['main', 'sub'])
        expect(
          (view.agents[id]?.entries ?? []).flatMap((entry) => (entry.type === 'text' ? [entry.text] : [])),
        ).toEqual(blocks(id));
    }),
  );
});

it('puts an older page before the view', () => {
  const old = fold(numbered);
  const next: StoredEvent = {
    type: 'run-start',
    runId: 'run_2',
    agentId: 'main_2',
    ts: 20,
    payload: { messageId: null, kind: 'follow-up' },
  };
  const view = reduce({ ...emptyView(), lastSeq: old.lastSeq }, old.lastSeq + 1, next);
  const both = withOlder(view, old);
  expect(both.runs.map(({ id }) => id)).toEqual(['run_1', 'run_2']);
  expect([Object.keys(both.agents).sort(), both.lastSeq]).toEqual([
    ['bg', 'main', 'main_2', 'sub'],
    view.lastSeq,
  ]);
});

const delta = (text: string, offset: number, step = 0): LiveThreadEvent => ({
  type: 'text-delta',
  ...head('main', 1),
  payload: { text, step, offset },
});

it('shows a text once, however often its parts come', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 10 }),
      fc.infiniteStream(fc.nat()),
      (parts, draws) => {
        const deltas = parts.map((text, at) => delta(text, parts.slice(0, at).join('').length));
        const again = deltas.flatMap((one, at) => [...deltas.slice(draws.next().value % (at + 1), at), one]);
        expect(again.reduce(reduceLive, noLive).texts.map(({ text }) => text)).toEqual([parts.join('')]);
      },
    ),
  );
});

it('replaces the text of a step that is thought again, and leaves out what is behind a gap', () => {
  const texts = (...deltas: LiveThreadEvent[]) =>
    deltas.reduce(reduceLive, noLive).texts.map(({ text }) => text);
  expect(texts(delta('The cat', 0), delta('The', 0), delta(' dog', 3))).toEqual(['The dog']);
  expect(texts(delta('The', 0), delta('far', 9))).toEqual(['The']);
});

it('drops the text when its block arrives, also when a delta comes after it', () => {
  const block: StoredEvent = {
    type: 'text-block',
    ...head('main', 2),
    payload: { text: 'The cat', step: 0 },
  };
  const settled = settleLive(reduceLive(noLive, delta('The', 0)), block);
  expect(settled.texts).toEqual([]);
  expect(reduceLive(settled, delta(' cat', 3)).texts).toEqual([]);
  expect(liveOf(settled, [{ agentId: 'main', step: 0, kind: 'text', text: 'The' }]).texts).toEqual([]);
  expect(reduceLive(settled, delta('Next', 0, 1)).texts).toHaveLength(1);
});

it('knows only events of the contract', () => {
  for (const event of story) expect(storedEvent.parse(event)).toEqual(event);
});
