import { expect, it } from 'vitest';
import {
  callerOf,
  connect,
  ended,
  idOf,
  initBody,
  question,
  text,
  useGateway,
  runCall,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const read = { name: 'read_file', arguments: {} };
const write = { name: 'write_file', arguments: {} };
const paused = { code: 'MACHINE_PAUSED' };

/** Two machines of one user; `desk` is the default. */
const pairTwo = async () => {
  await fixture.open();
  const { gateway, clock } = fixture;
  const laptop = await connect(gateway, 'ada', initBody({ hostIdentifier: 'ada@laptop' }));
  const desk = await connect(gateway, 'ada', initBody({ hostIdentifier: 'ada@desk' }));
  const ref = (name: string) => fixture.gateway.machines.find('ada', name);
  return { gateway, clock, laptop, desk, ref };
};

it('holds: refuses new calls on that machine alone, running ones go on, and questions can be answered', async () => {
  const { gateway, clock, laptop, desk, ref } = await pairTwo();
  const running = callerOf(gateway, 'ada').run(read, ended);
  const asking = callerOf(gateway, 'ada').run(write, ended);
  await clock.settle();
  await gateway.daemon.respond(desk.key, idOf(desk.stream), question());
  await clock.settle();
  expect(await gateway.machines.pause(await ref('desk'))).toEqual({ calls: 1, questions: 1 });
  await gateway.daemon.respond(desk.key, idOf(desk.stream, 0), text('hi'));
  expect((await running).state).toBe('succeeded');
  const [open] = await gateway.confirmations.list('ada');
  const requestId = open?.requestId ?? 'none';
  await gateway.confirmations.decide('ada', { requestId }, { approved: true });
  await clock.settle();
  expect(idOf(desk.stream, 2)).toBe(requestId);
  await gateway.daemon.respond(desk.key, requestId, text('written'));
  expect((await asking).state).toBe('succeeded');
  const opened: string[] = [];
  const refused = { ...ended, onOpened: (id: string) => void opened.push(id) };
  await expect(callerOf(gateway, 'ada').run(read, refused)).rejects.toMatchObject(paused);
  expect(opened).toEqual([]);
  const other = runCall(gateway, { ref: await ref('laptop'), call: read }, ended);
  await clock.settle();
  await gateway.daemon.respond(laptop.key, idOf(laptop.stream), text('hi'));
  expect((await other).state).toBe('succeeded');
  expect(desk.stream.isClosed()).toBe(false);
});

it('lasts over a restart and a new init, until it is resumed', async () => {
  const { gateway, desk, ref } = await pairTwo();
  await gateway.machines.pauseAll('ada');
  await fixture.crash();
  await fixture.gateway.daemon.init(desk.key, initBody({ hostIdentifier: 'ada@desk' }));
  const stream = await fixture.openStream(desk.key);
  await expect(callerOf(fixture.gateway, 'ada').run(read, ended)).rejects.toMatchObject(paused);
  const listed = await fixture.gateway.machines.summaries('ada');
  expect(listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
    { name: 'desk', pausedAt: expect.any(String), isPaired: true, state: 'online', isDefault: true },
    { name: 'laptop', pausedAt: expect.any(String), isPaired: true },
  ]);
  await fixture.gateway.machines.resume(await ref('desk'));
  const run = callerOf(fixture.gateway, 'ada').run(read, ended);
  await fixture.clock.settle();
  await fixture.gateway.daemon.respond(desk.key, idOf(stream), text('hi'));
  expect((await run).state).toBe('succeeded');
});

it('a call made while the machine is being paused is refused, or is stored and goes on', async () => {
  const { gateway, clock, desk, ref } = await pairTwo();
  const runs = Array.from({ length: 20 }, () => callerOf(gateway, 'ada').run(read, ended));
  const results = Promise.allSettled(runs);
  await gateway.machines.pause(await ref('desk'));
  await clock.settle();
  for (const { requestId } of desk.stream.requests())
    await gateway.daemon.respond(desk.key, requestId, text('hi'));
  const ends = (await results).map((end) => (end.status === 'fulfilled' ? end.value.state : end.reason.code));
  const kept = ends.filter((end) => end !== 'MACHINE_PAUSED');
  expect(kept).toEqual(kept.map(() => 'succeeded'));
  const { calls } = await gateway.calls.list('ada', { limit: 100 });
  expect([calls.length, desk.stream.requests().length]).toEqual([kept.length, kept.length]);
  await expect(callerOf(gateway, 'ada').run(read, ended)).rejects.toMatchObject(paused);
});

it('cancelAll ends what a pause left, says so to its caller, and leaves the machines paused', async () => {
  const { gateway, clock, desk, ref } = await pairTwo();
  const running = callerOf(gateway, 'ada').run(read, ended);
  const asking = callerOf(gateway, 'ada').run(write, ended);
  await clock.settle();
  await gateway.daemon.respond(desk.key, idOf(desk.stream), question());
  await clock.settle();
  expect(await gateway.machines.pauseAll('ada')).toEqual({ calls: 1, questions: 1 });
  await gateway.machines.cancelAll('ada');
  const stopped = {
    state: 'cancelled',
    error: { code: 'CANCELLED', message: 'The user stopped everything' },
  };
  expect([await running, await asking]).toMatchObject([stopped, stopped]);
  expect(await gateway.confirmations.list('ada')).toEqual([]);
  expect(desk.stream.events.some(({ type }) => type === 'tool-call-cancel')).toBe(true);
  expect((await gateway.machines.view(await ref('desk'))).isPaused).toBe(true);
});

it('a call is refused by the store while this server does not know of the pause yet', async () => {
  const { gateway, clock, desk } = await pairTwo();
  // As another server writes it, before its message has come.
  await fixture.database.db.updateTable('machines').set({ pausedAt: 1 }).where('name', '=', 'desk').execute();
  await expect(callerOf(gateway, 'ada').run(write, ended)).rejects.toMatchObject(paused);
  await clock.settle();
  expect(desk.stream.requests()).toEqual([]);
});

it('a machine is forgotten only while it is away; its calls stay', async () => {
  const { gateway, clock, desk, ref } = await pairTwo();
  const run = callerOf(gateway, 'ada').run(read, ended);
  await clock.settle();
  await gateway.daemon.respond(desk.key, idOf(desk.stream), text('hi'));
  const { machineId } = await run;
  await expect(gateway.machines.forget(await ref('desk'))).rejects.toMatchObject({
    code: 'MACHINE_CONNECTED',
  });
  await gateway.daemon.leave(desk.key);
  await clock.settle();
  await gateway.machines.forget(await ref('desk'));
  expect(await gateway.machines.summaries('ada')).toMatchObject([{ name: 'laptop', isDefault: true }]);
  expect(await gateway.machines.forgotten('ada')).toEqual([{ id: machineId, name: 'desk' }]);
  expect((await gateway.calls.list('ada', { limit: 10 })).calls).toMatchObject([{ machineId }]);
  expect(await gateway.machines.numbers('ada', clock.now() - 60_000)).toEqual([
    { machineId, calls: 1, asked: 0, denied: 0 },
  ]);
  await expect(gateway.daemon.init(desk.key, initBody())).rejects.toMatchObject({ code: 'PAIRING_ENDED' });
});
