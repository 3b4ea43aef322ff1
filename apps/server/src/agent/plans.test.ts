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
      story(propose([task('k', [], 'checkpoint'), ...diamond]), {
        'do a': [{ text: 'Working', end: 'silent' }],
      }),
    );
    await approve(world);
    await expect.poll(() => requestsOf(world.model.requests, 'do a').length).toBe(1);
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

it('a verdict after an attempt that failed lets the task succeed', async () => {
  const world = await withAgent(
    story(propose([task('a', [])]), { 'do a': [verdict(false, 'red'), verdict(true)] }),
  );
  await approve(world);
  await expect.poll(() => states(world)).toEqual({ a: 'succeeded' });
});
