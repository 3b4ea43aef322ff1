import { personSender, type RequestEvent } from '@drawbridge/agent';
import { expect, it } from 'vitest';
import { story, use } from '../../test/agent-turns.ts';
import { expectWhole, threadId, useTwoAgents, userId, type TwoAgents } from '../../test/two-agents.ts';

const write = (path: string) => use('write_file', { path });
const allow = { kind: 'resourceDecision', resourceDecision: 'allowOnce' } as const;

/** Lets time pass until the promise has settled. */
const settled = async <Value>({ until }: TwoAgents, promise: Promise<Value>): Promise<Value> => {
  let isSettled = false;
  void promise.finally(() => (isSettled = true)).catch(() => {});
  await until(() => isSettled);
  return promise;
};

const send = async (world: TwoAgents, at: 'one' | 'two', text: string, mode: 'steer' | 'collect') => {
  const { lanes } = world[at].agent;
  const input = { text, mode, key: text };
  const request = await settled(world, lanes.send(personSender(userId, 'panel'), threadId, input));
  const heard: RequestEvent['type'][] = [];
  request.listen(({ type }) => void heard.push(type));
  return { ...request, heard };
};

/** Waits for a question that is not the one before. */
const question = async ({ until, asks }: TwoAgents, before = ''): Promise<string> => {
  const isNew = ([ask]: Awaited<ReturnType<typeof asks>>) => ask !== undefined && ask.requestId !== before;
  await until(async () => isNew(await asks()), 'a question');
  return (await asks())[0]?.requestId ?? '';
};

it('a message that was steered into a run of another server stays a part of it', async () => {
  const world = await useTwoAgents(story([write('a'), write('b'), { text: 'End.' }, { text: 'End.' }]));
  const { one, two, until, answer } = world;
  const first = await send(world, 'one', 'Go', 'collect');
  const before = await question(world);
  const steered = await send(world, 'two', 'More', 'steer');
  await until(() => steered.heard.includes('steered'));
  const open = await question(world, before);
  one.suspend();
  await answer(two, open, allow);
  expect(await settled(world, steered.done)).toMatchObject({
    outcome: 'completed',
    how: 'steered',
    into: first.requestId,
  });
  expect(steered.heard).toEqual(['steered']);
  one.goOn();
  expect(await settled(world, first.done)).not.toHaveProperty('how');
  await expectWhole(world);
});

it('of messages that run together the last one stays the one that the others were merged into', async () => {
  const turns = [write('a'), { text: 'One.' }, write('b'), { text: 'End.' }, { text: 'End.' }];
  const world = await useTwoAgents(story(turns));
  const { one, two, until, answer } = world;
  await send(world, 'one', 'Go', 'collect');
  const before = await question(world);
  const merged = await send(world, 'two', 'More', 'collect');
  const last = await send(world, 'two', 'And more', 'collect');
  await answer(one, before, allow);
  await until(() => last.heard.includes('started'));
  const open = await question(world, before);
  one.suspend();
  await answer(two, open, allow);
  expect(await settled(world, merged.done)).toMatchObject({
    outcome: 'completed',
    how: 'merged',
    into: last.requestId,
  });
  expect(await settled(world, last.done)).toMatchObject({ outcome: 'completed', content: 'End.' });
  expect(await last.done).not.toHaveProperty('how');
  expect([merged.heard, last.heard]).toEqual([
    ['queued', 'merged'],
    ['queued', 'started'],
  ]);
  await expectWhole(world);
});

it('a request that is repeated at another server ends as the first one, whichever server drives it', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'One.' }, { text: 'Two.' }, { text: 'Two.' }]));
  const { one, two, answer } = world;
  await send(world, 'one', 'Go', 'collect');
  const open = await question(world);
  const waiting = await send(world, 'one', 'More', 'collect');
  const repeated = [await send(world, 'two', 'Go', 'collect'), await send(world, 'two', 'More', 'collect')];
  one.suspend();
  await answer(two, open, allow);
  const ends = [await settled(world, repeated[0]!.done), await settled(world, repeated[1]!.done)];
  expect(ends).toMatchObject([
    { outcome: 'completed', content: 'One.' },
    { outcome: 'completed', content: 'Two.' },
  ]);
  expect(repeated[1]?.requestId).toBe(waiting.requestId);
  await expectWhole(world);
});

it('a request of another server that is repeated at the driver ends there too, once it drives no longer', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'One.' }, { text: 'Two.' }, { text: 'Two.' }]));
  const { one, two, answer } = world;
  await send(world, 'one', 'Go', 'collect');
  const open = await question(world);
  const first = await send(world, 'two', 'More', 'collect');
  const repeated = await send(world, 'one', 'More', 'collect');
  one.suspend();
  await answer(two, open, allow);
  expect(await settled(world, first.done)).toMatchObject({ outcome: 'completed', content: 'Two.' });
  one.goOn();
  expect(await settled(world, repeated.done)).toMatchObject({ outcome: 'completed', content: 'Two.' });
  expect(repeated.requestId).toBe(first.requestId);
  await expectWhole(world);
});

it('a request ends also where its server cannot reach the store when it loses the thread', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'One.' }, { text: 'One.' }]));
  const { one, two, until, answer, ends, errors } = world;
  const request = await send(world, 'one', 'Go', 'collect');
  const open = await question(world);
  one.suspend();
  await answer(two, open, allow);
  await until(async () => (await ends()).length === 1);
  one.refuseOnce('insert into "agentCommands"');
  one.goOn();
  expect(await settled(world, request.done)).toMatchObject({ outcome: 'completed', content: 'One.' });
  expect(errors.splice(0)).toMatchObject([{ code: 'STORE_UNAVAILABLE' }]);
  await expectWhole(world);
});

it('a request whose run another server has ended ends at its own one, which drives the thread again', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'One.' }, { text: 'One.' }]));
  const { one, two, until, answer, drivenBy } = world;
  const request = await send(world, 'one', 'Go', 'collect');
  const open = await question(world);
  one.suspend();
  await answer(two, open, allow);
  await until(async () => (await drivenBy()) === null, 'its release');
  two.suspend();
  one.goOn();
  expect(await settled(world, request.done)).toMatchObject({ outcome: 'completed', content: 'One.' });
  await expectWhole(world);
});

it('the answer to a call of a driver that is gone reaches the next one, though no message says so', async () => {
  const turns = [write('a'), { text: 'One.' }, { text: 'One.' }];
  const world = await useTwoAgents(story(turns), { fate: () => 'is lost' });
  const { one, holder, until, ends, drivenBy } = world;
  await send(world, 'one', 'Go', 'collect');
  await question(world);
  one.suspend();
  await until(async () => (await drivenBy()) === 'two');
  const [asked] = await holder.confirmations.list(userId);
  await holder.confirmations.decide(userId, { confirmationId: asked?.id ?? '' }, { approved: true });
  expect(await until(async () => (await ends()).length === 1)).toBeLessThan(10_000);
  expect(world.written).toEqual(['write_file a']);
  await expectWhole(world);
});
