import { isDeepStrictEqual } from 'node:util';
import { emptyView, reduce } from '@drawbridge/agent/view';
import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type { ThreadView } from '@drawbridge/contracts/agent/threads';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Turn } from '../../../../e2e/agent/scripted-model.ts';
import { story, use } from '../../test/agent-turns.ts';
import { withAgent } from '../../test/agent.ts';

type World = Awaited<ReturnType<typeof withAgent>>;

const task = (id: string, deps: string[]) => ({ id, title: id, kind: 'delegate', spec: `do ${id}`, deps });
const turns = {
  text: { text: 'Well.' },
  nothing: {},
  fails: { status: 400 },
  list: use('update-tasks', { tasks: [{ id: '1', description: 'x', status: 'todo' }] }),
  unknown: use('nope'),
  ask: use('ask-user', { questions: [{ id: 'q', question: 'Which?', type: 'text' }] }),
  fetch: use('fetch-url', { url: 'http://example.invalid/' }),
  delegate: use('delegate', { role: 'r', instructions: 'do it' }),
  background: use('delegate', { role: 'r', instructions: 'do it', background: true }),
  plan: use('plan', { title: 'Plan', tasks: [task('a', []), task('b', ['a'])] }),
  slow: { reasoning: 'Hm', text: 'Slow.', delayMs: 20 },
} satisfies Record<string, Turn>;
type Name = keyof typeof turns;
// TypeScript knows keys as texts alone.
const names = Object.keys(turns) as Name[];

const answers = {
  'ask-user': { kind: 'questions', answers: [] },
  'fetch-url': { kind: 'domainAccessDeny' },
  plan: { kind: 'approval', approved: true },
} satisfies Record<string, AskAnswer>;

/** Answers the questions that are open; a late answer is refused. */
const answerAll = async ({ agent, userId, snapshot }: World) => {
  const { asks } = (await snapshot()).view;
  for (const { requestId, toolName } of Object.values(asks)) {
    const answer = Object.entries(answers).find(([name]) => name === toolName)?.[1];
    if (answer) await agent.confirm(userId, requestId, answer).catch(() => {});
  }
};

const acts = {
  reject: ({ say }: World) => say('one'),
  queue: ({ say }: World) => say('two', { mode: 'queue' }),
  steer: ({ say }: World) => say('three', { mode: 'steer' }),
  cancel: ({ agent, userId }: World) => agent.cancel(userId, 'thread'),
  resume: ({ agent, userId }: World) => agent.queue.resume(userId, 'thread'),
  answer: answerAll,
  wait: ({ say }: World) => say('four', { mode: 'queue' }).then(() => new Promise(setImmediate)),
};
type Act = keyof typeof acts;

/** Rows and events of one fact are written in one transaction, and may differ by a millisecond. */
const timeless = (view: ThreadView) =>
  JSON.parse(
    JSON.stringify(view, (key, value: unknown) =>
      ['at', 'startedAt', 'endedAt'].includes(key) ? value !== null : value,
    ),
  ) as unknown;

const folded = async ({ events }: World) =>
  timeless((await events()).reduce((view, { id, event }) => reduce(view, id, event), emptyView()));
const stored = async ({ snapshot }: World) => timeless((await snapshot()).view);

/** Also a plan that was just stopped is written in two transactions. */
const isSame = async (world: World) => {
  const [fold, rows] = [await folded(world), await stored(world)];
  return isDeepStrictEqual(fold, rows);
};

it('a thread read from its rows is the fold of its events, in whatever order things happen', async () => {
  const steps = fc.array(
    fc.constantFrom<Act>('reject', 'queue', 'steer', 'cancel', 'resume', 'answer', 'wait'),
    {
      minLength: 3,
      maxLength: 8,
    },
  );
  const turnNames = fc.array(fc.constantFrom<Name>(...names), { minLength: 8, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, turnNames, turnNames, async (order, main, child) => {
      const turnOf = (list: Name[]) => (_: unknown, number: number) => turns[list[number - 1] ?? 'text'];
      const world = await withAgent(story(turnOf(main), { do: turnOf(child) }));
      await world.say('start');
      for (const name of order) await Promise.resolve(acts[name](world)).catch(() => {});
      await answerAll(world);
      await world.agent.cancel(world.userId, 'thread');
      await expect.poll(async () => (await world.snapshot()).now.status).toBe('idle');
      await expect
        .poll(() => isSame(world))
        .toBe(true)
        .catch(async () => expect(await stored(world)).toEqual(await folded(world)));
      const { view } = await world.snapshot();
      expect(Object.values(view.calls).filter(({ outcome }) => outcome === null)).toEqual([]);
      expect(Object.values(view.agents).filter(({ status }) => status === null)).toEqual([]);
      expect([view.asks, view.runs.filter(({ status }) => status === null)]).toEqual([{}, []]);
      const ends = (await world.events()).flatMap(({ event }) =>
        event.type === 'run-finish'
          ? [event.runId]
          : event.type === 'tool-result' || event.type === 'tool-error' || event.type === 'tool-interrupted'
            ? [event.payload.toolCallId]
            : [],
      );
      expect(new Set(ends).size).toBe(ends.length);
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 120_000);
