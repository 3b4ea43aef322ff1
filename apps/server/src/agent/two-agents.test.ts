import { personSender } from '@drawbridge/agent';
import { expect, it } from 'vitest';
import { requireMachine } from '../callers/index.ts';
import { story, use } from '../../test/agent-turns.ts';
import { turnTool } from '../../test/runtimes.ts';
import { expectWhole, threadId, useTwoAgents, userId } from '../../test/two-agents.ts';

const read = (path: string) => use('read_file', { path });
const write = (path: string) => use('write_file', { path });
const question = { id: 'a', question: 'Which?', type: 'single', options: ['red', 'blue'] };
const asking = use('ask-user', { questions: [question] });
const skip = { kind: 'questions' as const, answers: [] };
const allow = { kind: 'resourceDecision', resourceDecision: 'allowOnce' } as const;

it('a message at either server is answered once; the thread is driven by the first', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'First.' }, { text: 'Second.' }]));
  const { one, two, until, asks, answer, ends, drivenBy } = world;
  expect(await one.say('Go')).toMatchObject({ runId: expect.any(String) });
  expect(await drivenBy()).toBe('one');
  await until(async () => (await asks()).length === 1);
  expect(await two.say('And then')).toMatchObject({ queuedId: expect.any(String) });
  const [ask] = await asks();
  await answer(two, ask?.requestId ?? '', allow);
  await until(async () => (await ends()).length === 2);
  expect(world.written).toEqual(['write_file a']);
  await expectWhole(world);
});

it('a killed driver: another server goes on within 14 s, and makes no call twice', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'Done.' }, { text: 'Done.' }]));
  const { one, two, until, asks, answer, ends, drivenBy, clock } = world;
  await one.say('Go');
  await until(async () => (await asks()).length === 1);
  await clock.settle(6_000);
  // It is not used, and a question is open: it is kept.
  expect(await drivenBy()).toBe('one');
  one.suspend();
  const [ask] = await asks();
  await answer(two, ask?.requestId ?? '', allow);
  // The model's answer takes real time, while the clock of the test goes on.
  expect(await until(async () => (await drivenBy()) === 'two')).toBeLessThan(14_000);
  await until(async () => (await ends()).length === 1);
  expect(world.written).toEqual(['write_file a']);
  // Its person learns of the end once, and of all the time that it took.
  await until(() => world.endedRuns.length === 1);
  expect(world.endedRuns).toMatchObject([{ userId, threadId }]);
  expect(world.endedRuns[0]?.ms).toBeGreaterThan(6_000);
  await expectWhole(world);
});

it('a message at a server whose driver is killed is answered by that server', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'End.' }, { text: 'End.' }]));
  const { one, two, until, asks, ends } = world;
  await one.say('Go');
  await until(async () => (await asks()).length === 1);
  one.suspend();
  const reply = two.say('Stop that', { mode: 'steer' });
  await until(async () => (await ends()).length === 1);
  expect(await reply).toMatchObject({ runId: expect.any(String) });
  expect(world.written).toEqual([]);
  await expectWhole(world);
});

it('a driver that was suspended during a model call and goes on changes nothing', async () => {
  const suspend: (() => void)[] = [];
  const turns = [read('b'), read('a'), { text: 'Done.' }];
  const script = story((_, number) => {
    if (number === 1) suspend[0]?.();
    return turns[number - 1] ?? { text: 'End.' };
  });
  const world = await useTwoAgents(script);
  const { one, until, ends, drivenBy, db } = world;
  suspend.push(one.suspend);
  const { done } = await one.agent.lanes.send(personSender(userId, 'panel'), threadId, { text: 'Go' });
  await until(async () => (await ends()).length === 1);
  one.goOn();
  // Its sender is still there.
  await until(() => done.then(() => true));
  expect(await done).toMatchObject({ outcome: 'completed', content: 'Done.' });
  const runs = await db.selectFrom('agentRuns').select('crashes').execute();
  expect(runs).toEqual([{ crashes: 1 }]);
  expect(await drivenBy()).not.toBe('one');
  expect(await ends()).toEqual(['completed']);
  expect(world.written).toEqual(['read_file a']);
  await expectWhole(world);
});

it('a message that was accepted for another server, whose driver is gone before it says so, is one', async () => {
  const world = await useTwoAgents(story([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }]));
  const { one, two, until, ends, ofType } = world;
  await one.say('Go');
  one.suspendBefore('update "agentCommands"');
  const said = two.say('More');
  await until(async () => (await ends()).length === 2);
  await until(() => said.then(() => true));
  one.goOn();
  await world.clock.settle(10_000);
  const heard = (await ofType('user-message')).map(
    ({ event: { payload } }) => 'text' in payload && payload.text,
  );
  expect(heard).toEqual(['Go', 'More']);
  await expectWhole(world);
});

it('a message at a server that was suspended, but not for dead, is taken once it goes on', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'First.' }, { text: 'Second.' }]));
  const { one, until, asks, clock, drivenBy } = world;
  await one.say('Go');
  await until(async () => (await asks()).length === 1);
  one.suspend();
  await clock.settle(8_700);
  // It is not sure to drive the thread, so it asks the driver, which is itself.
  let reply: unknown = null;
  const said = one.say('More').then((given) => (reply = given));
  await clock.settle(800);
  one.goOn();
  await until(() => reply !== null);
  expect(await said).toMatchObject({ queuedId: expect.any(String) });
  expect(await drivenBy()).toBe('one');
});

it('a run that ends just after its server was suspended ends for its senders too', async () => {
  const world = await useTwoAgents(story([write('a'), { text: 'Done.' }]));
  const { one, two, until, asks, clock, ends } = world;
  const { done } = await one.agent.lanes.send(personSender(userId, 'panel'), threadId, { text: 'Go' });
  await until(async () => (await asks()).length === 1);
  one.suspend();
  await clock.settle(8_700);
  const [ask] = await asks();
  void world.answer(two, ask?.requestId ?? '', allow);
  one.goOn();
  let end: unknown = null;
  void done.then((given) => (end = given));
  await until(() => end !== null, 'the end');
  expect(end).toMatchObject({ outcome: 'completed', content: 'Done.' });
  expect(await ends()).toEqual(['completed']);
  await expectWhole(world);
});

it('Stop at the other server stops the run', async () => {
  const world = await useTwoAgents(story([read('endless')]));
  const { one, two, until, ends, requests } = world;
  await one.say('Go');
  await until(() => requests.length === 1);
  const stopped = two.agent.cancel(userId, threadId);
  await until(async () => (await ends()).length === 1);
  await stopped;
  expect(await ends()).toEqual(['cancelled']);
});

it('RT-06 Stop at the other server keeps what a coding agent was just writing, which that server was posted', async () => {
  const world = await useTwoAgents(story([]));
  const { one, two, until, ends, ofType, drivenBy } = world;
  const requests: string[] = [];
  const key = await world.connect(two, [turnTool], ({ requestId }) => requests.push(requestId));
  await one.say('/runtime activate gemini');
  await one.say('Go');
  await until(() => requests.length === 1);
  expect(await drivenBy()).toBe('one');
  const turn = (text: string, offset: number) => ({
    turn: { from: 1, events: [], text: { type: 'text' as const, text, offset } },
  });
  const requestId = requests[0] ?? '';
  await two.gateway.daemon.progress(key, requestId, {
    turn: { from: 0, events: [{ type: 'session', session: 's1' }] },
  });
  await two.gateway.daemon.progress(key, requestId, turn('And the ', 0));
  await two.gateway.daemon.progress(key, requestId, turn('lights', 8));
  // Live text is gathered for a moment.
  await world.clock.settle(100);
  const stopped = two.agent.cancel(userId, threadId);
  await until(async () => (await ends()).length === 1);
  await stopped;
  const texts = (await ofType('text-block')).map(
    ({ event: { payload } }) => 'text' in payload && payload.text,
  );
  expect(texts).toEqual(['And the lights']);
  // Who has stopped it knows.
  expect(world.endedRuns).toEqual([]);
  await expectWhole(world);
});

it('a reader at another server sees text that is being written, from its beginning', async () => {
  const held = Promise.withResolvers<void>();
  const turns = [{ text: ['A long', ' answer.'], until: held.promise }, { text: 'End.' }];
  const world = await useTwoAgents(story((_, number) => turns[number - 1] ?? { text: 'End.' }));
  const { one, two, until, ends } = world;
  const readAt = (server: typeof one) => {
    const texts: string[] = [];
    const kinds = new Set<string>();
    const { stop } = server.agent.threads.listen(userId, threadId, (signal) => {
      kinds.add(signal.type);
      if (signal.type !== 'live' || signal.event.type !== 'text-delta') return;
      const { text, offset } = signal.event.payload;
      texts.push(`${offset} ${text}`);
    });
    return { texts, kinds, stop };
  };
  const there = readAt(one);
  await one.say('Go');
  await until(() => there.texts.length === 2);
  const here = readAt(two);
  await until(() => here.texts.length === 1);
  expect(here.texts).toEqual(['0 A long answer.']);
  const { partial } = await two.agent.threads.now(userId, threadId);
  expect(partial.map(({ text }) => text)).toEqual(['A long answer.']);
  held.resolve();
  await until(async () => (await ends()).length === 1);
  expect([...here.kinds].toSorted()).toEqual(['changed', 'live']);
  for (const { stop } of [here, there]) stop();
  await expectWhole(world);
});

it('no message between the servers arrives: answers, messages and stops come by the rows', async () => {
  const turns = [asking, write('a'), { text: 'First.' }, read('endless')];
  const world = await useTwoAgents(story(turns), { fate: () => 'is lost' });
  const { one, two, until, asks, answer, ends, requests, drivenBy } = world;
  await one.say('Go');
  await until(async () => (await asks()).length === 1);
  const [first] = await asks();
  await answer(two, first?.requestId ?? '', skip);
  await until(async () => (await asks()).some(({ requestId }) => requestId !== first?.requestId));
  const [ask] = await asks();
  await answer(two, ask?.requestId ?? '', allow);
  expect(await until(async () => (await ends()).length === 1)).toBeLessThan(10_000);
  const before = requests.length;
  const replied = two.say('More');
  await until(() => requests.length > before);
  expect(await replied).toMatchObject({ runId: expect.any(String) });
  expect(await drivenBy()).toBe('one');
  const stopped = two.agent.cancel(userId, threadId);
  await until(async () => (await ends()).length === 2);
  await until(() => stopped.then(() => true));
  expect(await ends()).toEqual(['completed', 'cancelled']);
  await expectWhole(world);
});

it('a question of the agent that is answered at another server continues its run at once', async () => {
  const world = await useTwoAgents(story([asking, { text: 'Red.' }]));
  const { one, two, until, asks, answer, ends } = world;
  await one.say('Go');
  await until(async () => (await asks()).length === 1);
  const [ask] = await asks();
  await answer(two, ask?.requestId ?? '', skip);
  expect(await until(async () => (await ends()).length === 1)).toBeLessThan(1_500);
  await expect(answer(one, ask?.requestId ?? '', skip)).rejects.toMatchObject({
    code: 'ALREADY_DECIDED',
  });
  await expectWhole(world);
});

it('a call is made only while the server that makes it drives the thread', async () => {
  const world = await useTwoAgents(story([{ text: 'Done.' }]));
  const { one, two, until, ends, thread, requests } = world;
  await one.say('Go');
  await until(async () => (await ends()).length === 1);
  const { fence = 0 } = (await thread()) ?? {};
  const ref = await requireMachine(two.gateway, { userId });
  const made = (number: number) =>
    two.gateway.calls.open(
      ref,
      { name: 'read_file', arguments: {} },
      { door: 'agent', driver: { userId, threadId, driverId: 'one', fence: number } },
    );
  await expect(made(fence - 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(requests).toEqual([]);
  await made(fence);
});

it('a thread in which nothing is open is left, and driven by the server that is asked next', async () => {
  const world = await useTwoAgents(story([{ text: 'First.' }, { text: 'Second.' }]));
  const { one, two, until, ends, drivenBy, clock } = world;
  await one.say('Go');
  await until(async () => (await ends()).length === 1);
  await clock.settle(6_000);
  expect(await drivenBy()).toBeNull();
  expect(await two.say('More')).toMatchObject({ runId: expect.any(String) });
  expect(await drivenBy()).toBe('two');
  await until(async () => (await ends()).length === 2);
  await expectWhole(world);
});

it('a server that stops leaves its runs to another one, and no crash is counted', async () => {
  const held = Promise.withResolvers<void>();
  const turns = [{ text: ['A'], until: held.promise }, { text: 'Done.' }];
  const world = await useTwoAgents(story((_, number) => turns[number - 1] ?? { text: 'End.' }));
  const { one, until, ends, model, drivenBy, db } = world;
  await one.say('Go');
  await until(() => model.requests.length > 0);
  await until(() => one.stop().then(() => true));
  held.resolve();
  expect(await until(async () => (await ends()).length === 1)).toBeLessThan(6_000);
  expect(await drivenBy()).toBe('two');
  const runs = await db.selectFrom('agentRuns').select(['state', 'crashes']).execute();
  expect(runs).toEqual([{ state: 'completed', crashes: 0 }]);
  await expectWhole(world);
});

it('what was asked of servers that were all gone is not done when they are back', async () => {
  const world = await useTwoAgents(story([{ text: 'First.' }, { text: 'Second.' }]));
  const { one, until, ends, db, clock, ofType } = world;
  await one.say('Go');
  await until(async () => (await ends()).length === 1);
  await clock.settle(6_000);
  const sender = personSender(userId, 'panel');
  const row = { userId, threadId, id: 'msg_old', kind: 'send', senderId: 'gone', state: 'open' } as const;
  const body = JSON.stringify({ sender, threadId, input: { text: 'Old' } });
  const createdAt = clock.now() - 61_000;
  await db
    .insertInto('agentCommands')
    .values({ ...row, body, reply: null, createdAt })
    .execute();
  const stateOf = async () => (await db.selectFrom('agentCommands').select('state').execute())[0]?.state;
  await until(async () => (await stateOf()) === 'done');
  expect(await ofType('user-message')).toHaveLength(1);
});
