import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../harness/index.ts';
import { byCase, type Step } from './crash-script.ts';
import type { Turn } from './scripted-model.ts';
import { startWorld, textOf, use, type World } from './world.ts';

const task = (id: string, spec: string, deps: string[] = []) => {
  const rest = { title: id, kind: 'delegate', tools: [] };
  return { id, deps, spec: `case:${spec}`, ...rest };
};
/** B and C depend on A, D on both. */
const diamond = (prefix: string) => [
  task('a', `${prefix}a`),
  task('b', `${prefix}b`, ['a']),
  task('c', `${prefix}c`, ['a']),
  task('d', `${prefix}d`, ['b', 'c']),
];
const plans =
  (tasks: object[]) =>
  ({ count }: Step): Turn =>
    count === 1 ? use('plan', { title: 'Plan', tasks }) : { text: 'Seen.' };
const fails =
  (failures: string[]) =>
  ({ count }: Step): Turn => {
    const failure = failures[count - 1];
    return failure === undefined
      ? { text: 'I give up.' }
      : use('report-verification-verdict', { ok: false, failure });
  };

const background = ['one', 'two', 'three', 'four', 'five', 'six'];
const gates = {
  b: Promise.withResolvers<void>(),
  c: Promise.withResolvers<void>(),
  background: Promise.withResolvers<void>(),
};
/** Its second request is made when the gate is open. */
const waits = ({ count, name }: Step): Turn =>
  count === 1
    ? { ...use('read_file', { filePath: 'none' }), until: gates.background.promise }
    : { text: `${name} is done.` };
const child = (step: Step): Turn =>
  [
    use('delegate', { role: 'inner', instructions: 'case:inner' }),
    use('write_file', { filePath: 'letter.txt', content: 'dear reader' }),
  ][step.count - 1] ?? { text: 'Denied, so I stop.' };

const { script, count } = byCase({
  diamond: plans(diamond('x')),
  xa: () => ({ text: 'a found' }),
  xb: () => ({ text: 'b found', until: gates.b.promise }),
  xc: () => ({ text: 'c found', until: gates.c.promise }),
  broken: plans(diamond('y')),
  yb: () => ({ status: 400 }),
  parent: ({ results }) =>
    results.length > 0
      ? { text: 'Done.' }
      : use('delegate', { role: 'letter writer', instructions: 'case:child', tools: ['write_file', 'plan'] }),
  child,
  many: ({ count: number }) =>
    number > 1
      ? { text: 'News.' }
      : {
          calls: background.map((name) => ({
            name: 'delegate',
            arguments: {
              role: name,
              instructions: `case:${name}`,
              tools: ['read_file'],
              background: true,
            },
          })),
        },
  ...Object.fromEntries(background.map((name) => [name, waits])),
  same: plans([task('t', 'once')]),
  once: fails(['it broke', 'it broke']),
  different: plans([task('t', 'five_times')]),
  five_times: fails(['red', 'green', 'blue', 'grey', 'white']),
});

describe('plans and sub-agents', () => {
  let world: World;
  const planOf = async (id: string) => (await world.thread(id).of('tasks-update')).at(-1)?.payload.plan;
  const states = async (id: string) => (await planOf(id))?.items.map(({ state }) => state).join(' ');
  const approve = async (id: string) => {
    const thread = world.thread(id);
    await thread.say(`case:${id}`);
    const { payload } = await thread.until('confirmation-request');
    const answer = () => thread.answer(payload.requestId, { kind: 'approval', approved: true });
    return { payload, answer };
  };
  const lastRead = (name: string) => textOf(world.requestsOf(name).at(-1)!);

  beforeAll(async () => {
    world = await startWorld(script);
  });
  afterAll(async () => {
    Object.values(gates).forEach(({ resolve }) => resolve());
    await world.stop();
  });

  it('9 a plan starts nothing before it is approved, then B and C side by side, and D after both', async () => {
    const { payload, answer } = await approve('diamond');
    expect(payload.planItems?.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(count('xa')).toBe(0);
    expect(await answer()).toBe(200);
    await until(async () => count('xb') === 1 && count('xc') === 1);
    gates.b.resolve();
    await until(async () => (await states('diamond')) === 'succeeded succeeded running waiting');
    expect(count('xd')).toBe(0);
    gates.c.resolve();
    await until(async () => (await planOf('diamond'))?.state === 'completed');
    expect(lastRead('xd')).toMatch(/b found.*c found/);
  });

  it('9 a failed B cancels D, and the next request asks for another plan', async () => {
    await (await approve('broken')).answer();
    await until(async () => (await states('broken')) === 'succeeded failed succeeded cancelled');
    await until(async () => lastRead('broken').includes('propose a new plan'));
    expect([await planOf('broken'), count('yd')]).toMatchObject([{ state: 'awaiting-replan' }, 0]);
  });

  it('10 AG-03 a sub-agent has the listed tools alone, cannot delegate, and its card names its role', async () => {
    const thread = world.thread('parent');
    await thread.say('case:parent');
    const { payload } = await thread.until('confirmation-request');
    const [card] = await world.ann.api.confirmations.list.query();
    expect(card?.via?.name).toContain('letter writer');
    const denied = { approved: false, resourceDecision: 'denyOnce' };
    expect(await thread.answer(payload.requestId, denied)).toBe(200);
    await thread.until('run-finish');
    expect(world.requestsOf('child').map(({ tools }) => tools)).toEqual(
      Array.from({ length: 3 }, () => ['write_file']),
    );
    expect(lastRead('child')).toContain('There is no tool delegate');
    expect([count('inner'), lastRead('parent')]).toEqual([0, expect.stringContaining('Denied, so I stop.')]);
  });

  it('11 the sixth background task is refused, a correction reaches its task alone, a run follows the last', async () => {
    const thread = world.thread('many');
    await thread.say('case:many');
    expect((await thread.until('tool-error')).payload.error).toContain('5 background tasks in this thread');
    await until(async () => background.slice(0, 5).every((name) => count(name) === 1));
    const { backgroundTasks } = await thread.now();
    const third = backgroundTasks.find(({ role }) => role === 'three');
    await world.send('POST', `/chat/many/tasks/${third?.taskId}/correct`, { message: 'rather blue' });
    gates.background.resolve();
    await until(async () =>
      background.slice(0, 5).every((name) => lastRead('many').includes(`${name} is done.`)),
    );
    await until(async () => (await thread.now()).status === 'idle');
    const corrected = world.model.requests.filter((request) => textOf(request).includes('rather blue'));
    expect(corrected).toEqual(world.requestsOf('three').slice(1));
    expect(count('six')).toBe(0);
    expect((await thread.of('run-start')).at(-1)?.payload.kind).toBe('follow-up');
    expect((await thread.of('text-block')).at(-1)?.payload.text).toBe('News.');
  });

  it.each([
    ['same', 'once', 2, 'so this task has failed'],
    ['different', 'five_times', 5, 'Attempt 5 of 5 failed'],
  ])('13 a task whose verification fails in %s ways ends', async (id, name, attempts, sentence) => {
    await (await approve(id)).answer();
    await until(async () => (await states(id)) === 'failed');
    const requests = world.requestsOf(name);
    expect([requests.length, count(name)]).toEqual([attempts + 1, attempts + 1]);
    expect(requests.map((request) => textOf(request).includes(sentence))).toEqual([
      ...Array.from({ length: attempts }, () => false),
      true,
    ]);
  });
});
