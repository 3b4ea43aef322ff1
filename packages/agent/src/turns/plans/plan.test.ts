import type { PlanTask } from '@drawbridge/contracts/agent/tasks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRow, planTaskRow } from '../../../test/rows.ts';
import { nextPlan, type SchedulableTask } from '../../machines/next-plan.ts';
import { checkPlan } from '../../tools/plans/check-plan.ts';
import { planViewOf } from '../../tools/plans/plan-rows.ts';

const planned = (id: string, deps: string[] = [], change: Partial<PlanTask> = {}): PlanTask => ({
  id,
  title: id,
  kind: 'research',
  spec: 'x',
  deps,
  tools: [],
  ...change,
});
const offer = { tools: new Set(['fetch-url']), domains: new Set(['n8n']) };

describe('a plan', () => {
  it.each([
    ['a diamond', [planned('a'), planned('b', ['a']), planned('c', ['a']), planned('d', ['b', 'c'])], []],
    ['a known kind and tool', [planned('a', [], { kind: 'domain:n8n', tools: ['fetch-url'] })], []],
    ['a duplicate id', [planned('a'), planned('a')], ['Each task needs an id of its own; used twice: "a".']],
    [
      'an unknown dependency',
      [planned('a', ['b'])],
      ['Task "a" depends on "b", which the plan does not contain.'],
    ],
    [
      'a cycle',
      [planned('a', ['c']), planned('b', ['a']), planned('c', ['b'])],
      ['These tasks wait for each other: a → c → b → a. Remove one of the dependencies.'],
    ],
    [
      'a task that waits for itself',
      [planned('a', ['a'])],
      ['These tasks wait for each other: a → a. Remove one of the dependencies.'],
    ],
    [
      'an unknown kind',
      [planned('a', [], { kind: 'domain:x' })],
      ['Task "a" has the kind "domain:x", which is not available here.'],
    ],
    [
      'a tool that is not offered',
      [planned('a', [], { tools: ['plan', 'fetch-url'] })],
      ['Task "a" lists tools that a planned task cannot use: "plan".'],
    ],
  ])('with %s', (_what, tasks, problems) => {
    expect(checkPlan(tasks, offer)).toEqual(problems);
  });

  it('that goes forward alone has no cycle', () => {
    const forward = fc
      .array(fc.array(fc.nat()), { minLength: 1, maxLength: 20 })
      .map((rows) =>
        rows.map((deps, at) => planned(`t${at}`, at === 0 ? [] : deps.map((dep) => `t${dep % at}`))),
      );
    fc.assert(
      fc.property(forward, (tasks) => {
        expect(checkPlan(tasks, offer)).toEqual([]);
      }),
    );
  });
});

const task = (
  taskId: string,
  state: SchedulableTask['state'],
  change: Partial<SchedulableTask> = {},
): SchedulableTask => ({ taskId, n: 0, kind: 'research', deps: [], state, isWriting: false, ...change });

const active = { state: 'active' } as const;
const diamond = (states: SchedulableTask['state'][]) => [
  task('a', states[0] ?? 'waiting', { n: 0 }),
  task('b', states[1] ?? 'waiting', { n: 1, deps: ['a'] }),
  task('c', states[2] ?? 'waiting', { n: 2, deps: ['a'] }),
  task('d', states[3] ?? 'waiting', { n: 3, deps: ['b', 'c'] }),
];

describe('the scheduler', () => {
  it.each([
    ['starts at the approval', 'active', [], { start: ['a'] }],
    ['starts two side by side', 'active', ['succeeded'], { start: ['b', 'c'] }],
    ['waits for both', 'active', ['succeeded', 'succeeded', 'running'], {}],
    ['starts the last one after both', 'active', ['succeeded', 'succeeded', 'succeeded'], { start: ['d'] }],
    [
      'is complete at the end',
      'active',
      ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
      { state: 'completed' },
    ],
    [
      'cancels what depends on a failure, and lets the rest end',
      'active',
      ['succeeded', 'failed', 'running'],
      { cancel: ['d'] },
    ],
    [
      'asks for a new plan when the rest has ended',
      'active',
      ['succeeded', 'failed', 'succeeded', 'cancelled'],
      { state: 'awaiting-replan' },
    ],
    [
      'cancels through several tasks',
      'active',
      ['failed'],
      { state: 'awaiting-replan', cancel: ['b', 'c', 'd'] },
    ],
    [
      'stops and cancels all when it is cancelled',
      'cancelled',
      ['succeeded', 'running'],
      { cancel: ['c', 'd'], stop: ['b'] },
    ],
    ['starts no more after its end', 'completed', [], {}],
    ['starts no more without a new plan', 'awaiting-replan', ['failed'], {}],
  ] as const)('%s', (_what, state, states, expected) => {
    expect(nextPlan({ state }, diamond([...states]))).toEqual({
      state,
      start: [],
      cancel: [],
      stop: [],
      ...expected,
    });
  });

  it('runs five at once, and checkpoints beside them', () => {
    const tasks = [1, 2, 3, 4, 5, 6].map((n) => task(`t${n}`, 'waiting', { n }));
    const check = task('check', 'waiting', { n: 7, kind: 'checkpoint' });
    expect(nextPlan(active, [...tasks, check]).start).toEqual(['t1', 't2', 't3', 't4', 't5', 'check']);
  });

  it('runs what writes to the machine one at a time', () => {
    const tasks = ['running', 'waiting', 'waiting'].map((state, n) =>
      task(`t${n}`, state as SchedulableTask['state'], { n, isWriting: n < 2 }),
    );
    expect(nextPlan(active, tasks).start).toEqual(['t2']);
    const ended = tasks.map((one, n) => (n === 0 ? { ...one, state: 'succeeded' as const } : one));
    expect(nextPlan(active, ended).start).toEqual(['t1', 't2']);
  });

  it('ends every plan, whatever fails', () => {
    const graph = fc.array(
      fc.record({ deps: fc.array(fc.nat(), { maxLength: 3 }), isWriting: fc.boolean(), fails: fc.boolean() }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(graph, (nodes) => {
        let tasks = nodes.map(({ deps, isWriting }, n) =>
          task(`t${n}`, 'waiting', {
            n,
            isWriting,
            deps: n === 0 ? [] : [...new Set(deps.map((dep) => `t${dep % n}`))],
          }),
        );
        let state: ReturnType<typeof nextPlan>['state'] = 'active';
        for (let turn = 0; turn <= nodes.length; turn += 1) {
          const step = nextPlan({ state }, tasks);
          state = step.state;
          tasks = tasks.map((one) => {
            if (step.start.includes(one.taskId)) return { ...one, state: 'running' as const };
            return step.cancel.includes(one.taskId) ? { ...one, state: 'cancelled' as const } : one;
          });
          const running = tasks.filter((one) => one.state === 'running');
          expect(running.length).toBeLessThanOrEqual(5);
          expect(running.filter(({ isWriting }) => isWriting).length).toBeLessThanOrEqual(1);
          const next = running[0];
          if (!next) break;
          const end = nodes[next.n]?.fails === true ? 'failed' : 'succeeded';
          tasks = tasks.map((one) => (one === next ? { ...one, state: end } : one));
        }
        expect(state).toBe(tasks.every((one) => one.state === 'succeeded') ? 'completed' : 'awaiting-replan');
        expect(tasks.filter((one) => one.state === 'waiting' || one.state === 'running')).toEqual([]);
      }),
    );
  });
});

it('the view of a plan is in the order of the plan', () => {
  const plan = planRow('u', 'p', { title: 'Plan' });
  const first = planTaskRow('u', 'a', {
    title: 'A',
    state: 'succeeded',
    agentId: 'ag_1',
    result: 'x'.repeat(600),
  });
  const common = { kind: 'research', spec: 's', deps: [], tools: [] };
  expect(planViewOf(plan, [planTaskRow('u', 'b', { n: 1, title: 'B' }), first])).toEqual({
    planId: 'p',
    title: 'Plan',
    state: 'active',
    items: [
      { ...common, id: 'a', title: 'A', state: 'succeeded', agentId: 'ag_1', result: 'x'.repeat(500) },
      { ...common, id: 'b', title: 'B', state: 'waiting' },
    ],
  });
});
