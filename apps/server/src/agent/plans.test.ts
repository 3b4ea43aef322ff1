import { describe, expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { withAgent } from '../../test/agent.ts';

const task = (id: string, deps: string[], kind = 'delegate') => ({
  id,
  title: id,
  kind,
  spec: `do ${id}`,
  deps,
});
const diamond = [task('a', []), task('b', ['a']), task('c', ['a']), task('d', ['b', 'c'])];
const verdict = (ok: boolean, failure?: string) =>
  use('report-verification-verdict', { ok, ...(failure !== undefined && { failure }) });
const yes = { kind: 'approval', approved: true } as const;

type World = Awaited<ReturnType<typeof withAgent>>;

/** Proposes a plan, and approves it. */
const approve = async ({ say, until, agent, userId }: World) => {
  await say('go');
  const { payload } = await until('confirmation-request');
  await agent.confirm(userId, payload.requestId, yes);
  return payload;
};
const states = async ({ snapshot }: World) =>
  Object.fromEntries((await snapshot()).view.plan?.items.map(({ id, state }) => [id, state]) ?? []);
const planState = async ({ snapshot }: World) => (await snapshot()).view.plan?.state;
const isRead = ({ model }: World, text: string) => textOf(requestsOf(model.requests).at(-1)!).includes(text);
const propose = (tasks: object[]) => [
  use('plan', { title: 'Plan', tasks }),
  { text: 'It runs.' },
  { text: 'Seen.' },
];

describe('a plan', () => {
  it('that is denied starts nothing, and the model reads why', async () => {
    const world = await withAgent(story(propose(diamond)));
    const { say, until, agent, userId, model, snapshot } = world;
    await say('go');
    const { payload } = await until('confirmation-request');
    await agent.confirm(userId, payload.requestId, { kind: 'planDeny', feedback: 'smaller' });
    await until('run-finish');
    expect(isRead(world, 'They say: smaller')).toBe(true);
    expect(requestsOf(model.requests, 'do')).toEqual([]);
    expect((await snapshot()).view.plan).toBeNull();
  });

  it('is cancelled by Stop with all its tasks, and nothing follows', async () => {
    const world = await withAgent(
      story(
        (request) => {
          const said = textOf(request);
          if (said.includes('is reached')) return { text: 'Judging', end: 'silent' };
          return propose([task('k', [], 'checkpoint'), ...diamond])[
            said.includes('approved the plan') ? 1 : 0
          ]!;
        },
        { 'do a': [{ text: 'Working', end: 'silent' }] },
      ),
    );
    await approve(world);
    await expect.poll(() => requestsOf(world.model.requests, 'do a').length).toBe(1);
    await expect.poll(() => isRead(world, 'is reached')).toBe(true);
    await world.agent.cancel(world.userId, 'thread');
    const all = { k: 'cancelled', a: 'cancelled', b: 'cancelled', c: 'cancelled', d: 'cancelled' };
    await expect.poll(() => states(world)).toEqual(all);
    expect([await planState(world), (await world.snapshot()).now.status]).toEqual(['cancelled', 'idle']);
  });

  it.each([
    ['continues', verdict(true), { k: 'succeeded', z: 'succeeded' }, 'completed'],
    ['stops', verdict(false, 'wrong'), { k: 'failed', z: 'cancelled' }, 'awaiting-replan'],
  ])('%s as the main agent judges at a checkpoint', async (_, judged, ends, state) => {
    const world = await withAgent(
      story((request) => {
        const said = textOf(request);
        if (!said.includes('It runs.') && !said.includes('approved the plan'))
          return propose([task('k', [], 'checkpoint'), task('z', ['k'])])[0]!;
        if (!said.includes('is reached')) return { text: 'It runs.' };
        return request.tools.includes('report-verification-verdict') ? judged : { text: 'Judged.' };
      }),
    );
    await approve(world);
    await expect.poll(async () => [await states(world), await planState(world)]).toEqual([ends, state]);
  });
});

it('a checkpoint that the agent leaves without a verdict fails, and the plan does not wait for ever', async () => {
  const world = await withAgent(
    story((request) => {
      const said = textOf(request);
      if (!said.includes('It runs.') && !said.includes('approved the plan'))
        return propose([task('k', [], 'checkpoint'), task('z', ['k'])])[0]!;
      return { text: said.includes('is reached') ? 'Looks fine.' : 'It runs.' };
    }),
  );
  await approve(world);
  const ends = { k: 'failed', z: 'cancelled' };
  await expect
    .poll(async () => [await states(world), await planState(world)])
    .toEqual([ends, 'awaiting-replan']);
  const [{ result } = {}] = (await world.snapshot()).view.plan?.items ?? [];
  expect(result).toBe('The agent has given no verdict.');
  await expect.poll(() => isRead(world, 'has stopped because a task failed')).toBe(true);
});

it('what people see of a task of a plan is its text, without what the model gets beside it', async () => {
  const world = await withAgent(story(propose([task('a', []), task('b', ['a'])])));
  await approve(world);
  await expect.poll(() => states(world)).toEqual({ a: 'succeeded', b: 'succeeded' });
  const { view } = await world.snapshot();
  const goals = Object.values(view.agents).flatMap(({ goal }) => goal ?? []);
  expect(goals).toEqual(['do a', 'do b']);
  expect(textOf(requestsOf(world.model.requests, 'do b')[0]!)).toContain('Results of earlier tasks');
});

it('a verdict after an attempt that failed lets the task succeed', async () => {
  const world = await withAgent(
    story(propose([task('a', [])]), { 'do a': [verdict(false, 'red'), verdict(true)] }),
  );
  await approve(world);
  await expect.poll(() => states(world)).toEqual({ a: 'succeeded' });
});
