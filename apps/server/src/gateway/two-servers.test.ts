import fc from 'fast-check';
import { sleep } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { disconnectMachine, machineStatus, requireMachine } from '../callers/index.ts';
import { createLossyHub, type Fate } from '../../test/lossy-bus.ts';
import {
  connect,
  ended,
  openGateway,
  openStream,
  question,
  text,
  type FakeStream,
  runCall,
} from '../../test/gateway-fixture.ts';
import { onPostgres } from '../../test/store-place.ts';
import type { Gateway } from './index.ts';

const pollMs = 2_000;
const fates: Fate[] = ['arrives', 'is late', 'arrives twice', 'is lost'];

/** What a daemon gets again it has begun already, and knows by its id. */
const firstDeliveries = (stream: FakeStream) => stream.requests().filter(({ again }) => again !== true);

/** Two servers on one store; the machine's stream is at the first one until it moves. */
const openTwo = async (fate: () => Fate) => {
  const fixture = await openGateway();
  const { clock, errors } = fixture;
  await fixture.gateway.stop();
  const hub = createLossyHub({ clock, fate, onError: (error) => void errors.push(error) });
  const servers = [
    await fixture.beside({ clock, bus: hub.open('one', { pollMs }) }),
    await fixture.beside({ clock, bus: hub.open('two', { pollMs }) }),
  ] as const;
  const { key, stream } = await connect(servers[0], 'ada');
  /**
   * The machine's streams, oldest first, each with how many calls it had received when a newer one was
   * opened.
   */
  const streams = [{ stream, until: Infinity }];
  const move = async (gateway: Gateway) => {
    const next = await openStream(gateway, key);
    const last = streams.at(-1);
    if (last) last.until = firstDeliveries(last.stream).length;
    streams.push({ stream: next, until: Infinity });
  };
  const firstRequests = () => streams.flatMap((one) => firstDeliveries(one.stream));
  return { ...fixture, servers, key, streams, move, firstRequests };
};

type World = Awaited<ReturnType<typeof openTwo>>;

/** A call with what its caller was told, and what was accepted of its daemon and of the person. */
interface Made {
  requestId: string;
  told: unknown;
  accepted: string[];
  decided: boolean[];
  /** Not made: the caller was told that the machine is not connected. */
  isRefused: boolean;
}

const step = fc.record({
  does: fc.constantFrom('run', 'answer', 'ask', 'decide', 'cancel', 'wait', 'move'),
  at: fc.constantFrom(0, 1),
  call: fc.nat(3),
  approved: fc.boolean(),
  /** Whether the next step waits for this one. */
  awaited: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const run = async ({ servers, clock }: World, { calls, at }: { calls: Made[]; at: number }) => {
  const made: Made = { requestId: '', told: null, accepted: [], decided: [], isRefused: false };
  calls.push(made);
  const onOpened = (requestId: string) => {
    made.requestId = requestId;
  };
  const gateway = servers[at === 0 ? 0 : 1];
  const ref = await requireMachine(gateway, { userId: 'ada' });
  runCall(gateway, { ref, call: { name: 'write_file', arguments: {} } }, { ...ended, onOpened }).then(
    (call) => {
      made.told = call;
    },
    () => {
      made.isRefused = true;
    },
  );
  await clock.settle();
};

const decide = async (gateway: Gateway, made: Made, approved: boolean) => {
  await gateway.confirmations.decide('ada', { requestId: made.requestId }, { approved });
  made.decided.push(approved);
};

const perform = async (world: World, { calls, number }: { calls: Made[]; number: number }, todo: Step) => {
  const { servers, key, clock } = world;
  const gateway = servers[todo.at === 0 ? 0 : 1];
  const made = calls[todo.call % Math.max(1, calls.length)];
  if (todo.does === 'run') return calls.length < 3 ? run(world, { calls, at: todo.at }) : undefined;
  if (todo.does === 'move') return world.move(gateway);
  if (todo.does === 'wait') return clock.settle(400);
  if (!made) return;
  switch (todo.does) {
    case 'answer': {
      const reply = await gateway.daemon.respond(key, made.requestId, text(`answer ${number}`));
      if (reply.duplicate !== true) made.accepted.push(`answer ${number}`);
      return;
    }
    case 'ask':
      await gateway.daemon.respond(key, made.requestId, question({ askId: `ask-${number}` }));
      return;
    case 'decide':
      return decide(gateway, made, todo.approved);
    case 'cancel':
      await gateway.calls.cancel('ada', made.requestId);
  }
};

const rowOf = (world: World, requestId: string) =>
  world.database.db.selectFrom('calls').selectAll().where('requestId', '=', requestId).executeTakeFirst();

const check = async (world: World, made: Made) => {
  const row = await rowOf(world, made.requestId);
  expect(made.isRefused).toBe(false);
  if (row === undefined) throw new Error(`The call ${made.requestId} is not stored`);
  // The machine is connected: nothing waits to be delivered, whichever server was told of it.
  expect(row.state).not.toBe('pending');
  const requests = world.firstRequests().filter(({ requestId }) => requestId === made.requestId);
  const decisions = requests.map(({ toolCall }) => toolCall.arguments['_confirmation'] !== undefined);
  expect(decisions.filter((hasDecision) => !hasDecision).length).toBe(row.deliveredAt === null ? 0 : 1);
  expect(decisions.filter(Boolean).length).toBeLessThanOrEqual(made.decided.length);
  if (row.endedAt === null) return expect(made.told).toBeNull();
  expect(made.told).toMatchObject({ state: row.state, decision: row.decision });
  expect(JSON.stringify((made.told as { result: unknown }).result)).toBe(row.result ?? 'null');
  const last = made.accepted.at(-1);
  if (row.state === 'succeeded') expect(row.result).toContain(`"${last}"`);
};

it(
  'two servers of one store tell one story, whatever the bus between them loses',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 16 }),
        fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 8 }),
        async (plan, lots) => {
          let drawn = 0;
          const world = await openTwo(() => lots[drawn++ % lots.length] ?? 'arrives');
          try {
            const calls: Made[] = [];
            await run(world, { calls, at: 0 });
            const running: Promise<unknown>[] = [];
            for (const [number, todo] of plan.entries()) {
              // What came too late is refused, and says so.
              const done = perform(world, { calls, number }, todo).catch((error: unknown) => {
                expect(error).toMatchObject({ code: expect.any(String) });
              });
              running.push(done);
              if (todo.awaited) await world.clock.settle();
            }
            await Promise.all(running);
            await world.clock.settle(pollMs);
            await world.clock.settle(pollMs);
            for (const made of calls) await check(world, made);
            // A server whose stream was taken over delivers nothing more on it.
            for (const { stream, until } of world.streams)
              expect(firstDeliveries(stream).length).toBeLessThanOrEqual(until);
            expect(world.errors).toEqual([]);
          } finally {
            await world.close();
          }
        },
      ),
      { numRuns: onPostgres ? 10 : 100 },
    );
  },
);

it('what one server decides is delivered by the other, which has the stream', async () => {
  const world = await openTwo(() => 'is lost');
  onTestFinished(world.close);
  const calls: Made[] = [];
  await run(world, { calls, at: 0 });
  const [made] = calls;
  await world.servers[1].daemon.respond(world.key, made?.requestId ?? '', question());
  await world.servers[1].confirmations.decide(
    'ada',
    { requestId: made?.requestId ?? '' },
    { approved: true },
  );
  expect(world.firstRequests().length).toBe(1);
  await world.clock.settle(pollMs);
  expect(world.firstRequests().length).toBe(2);
  await world.servers[1].calls.cancel('ada', made?.requestId ?? '');
  await world.clock.settle(pollMs);
  expect(world.streams[0]?.stream.events.at(-1)).toMatchObject({ type: 'tool-call-cancel' });
  expect(made?.told).toMatchObject({ state: 'cancelled' });
});

it('a call of another server that ends before it is waited for, is waited for no longer', async () => {
  const { servers, key, clock, firstRequests, close } = await openTwo(() => 'arrives');
  onTestFinished(close);
  const ref = await requireMachine(servers[0], { userId: 'ada' });
  const call = { name: 'write_file', arguments: {} };
  const { requestId } = await servers[0].calls.open(ref, call, { door: 'trpc' });
  const there = await servers[1].calls.follow('ada', requestId);
  expect(firstRequests().map((one) => one.requestId)).toEqual([requestId]);
  await servers[0].daemon.respond(key, requestId, text('done'));
  await clock.settle();
  let waited: unknown;
  void there.wait({ until: 'ended' }).then((ended) => (waited = ended.state));
  await clock.settle();
  expect(waited).toBe('succeeded');
});

it('a server whose stream was taken over delivers nothing on it, and closes it', async () => {
  const world = await openTwo(() => 'is lost');
  onTestFinished(world.close);
  const { servers, key, clock } = world;
  const calls: Made[] = [];
  await run(world, { calls, at: 0 });
  const requestId = calls[0]?.requestId ?? '';
  await servers[0].daemon.respond(key, requestId, question());
  await world.move(servers[1]);
  const [old, present] = world.streams;
  const delivered = () => [old, present].map((one) => (one ? firstDeliveries(one.stream).length : null));
  await servers[0].confirmations.decide('ada', { requestId }, { approved: true });
  await clock.settle(pollMs);
  expect(delivered()).toEqual([1, 1]);
  expect(old?.stream.isClosed()).toBe(true);
});

it('a machine that is disconnected at one server loses its stream at the other at once', async () => {
  const world = await openTwo(() => 'arrives');
  onTestFinished(world.close);
  await disconnectMachine(world.servers[1], { userId: 'ada' });
  await world.clock.settle();
  expect(world.streams[0]?.stream.isClosed()).toBe(true);
});

it('a server learns that its stream was taken over though no message arrives', async () => {
  const world = await openTwo(() => 'is lost');
  onTestFinished(world.close);
  await world.move(world.servers[1]);
  await world.clock.settle(pollMs);
  expect(world.streams.map(({ stream }) => stream.isClosed())).toEqual([true, false]);
  expect(await machineStatus(world.servers[0], { userId: 'ada' })).toMatchObject({ state: 'online' });
});

/**
 * Callers of one idempotency key: where, when, and how long their server stands still between the claim and
 * the call.
 */
const claimant = fc.record({
  at: fc.constantFrom(0, 1),
  afterMs: fc.constantFrom(0, 50, 9_000, 12_000),
  standsMs: fc.constantFrom(0, 5_000, 15_000),
});

it('an idempotency key makes one call, whichever servers it comes to', { timeout: 120_000 }, async () => {
  const via = { kind: 'token', id: 't1', name: 'Desk' } as const;
  const call = { name: 'write_file', arguments: {} };
  await fc.assert(
    fc.asyncProperty(fc.array(claimant, { minLength: 2, maxLength: 4 }), async (claimants) => {
      const world = await openTwo(() => 'arrives');
      const { servers, clock } = world;
      try {
        const ref = await requireMachine(servers[0], { userId: 'ada' });
        const start = async ({ at, afterMs, standsMs }: (typeof claimants)[number]) => {
          const gateway = servers[at === 0 ? 0 : 1];
          if (afterMs > 0) await sleep(clock, afterMs);
          const claim = await gateway.idempotency.claim('ada', call, {
            via,
            machineId: ref.machineId,
            key: 'k',
          });
          if (claim.kind === 'repeat') return claim.first;
          if (standsMs > 0) await sleep(clock, standsMs);
          // The stream is at the first server.
          const options = { door: 'rest', until: 'asked', via, claim } as const;
          const opened = new Promise<string>((resolve, reject) => {
            runCall(servers[0], { ref, call }, options).then(({ requestId }) => resolve(requestId), reject);
            void clock.settle().then(() => resolve(claim.requestId));
          });
          const requestId = await opened.catch(() => null);
          await claim.settle(requestId !== null);
          return requestId;
        };
        const started = claimants.map(start);
        for (let second = 0; second < 60; second += 1) await clock.settle(1_000);
        const found = await Promise.all(started);
        const rows = await world.database.db.selectFrom('calls').select('requestId').execute();
        expect(rows.length).toBe(1);
        const [first] = rows;
        for (const [at, requestId] of found.entries())
          if ((claimants[at]?.standsMs ?? 0) < 10_000) expect(requestId).toBe(first?.requestId);
          else expect([null, first?.requestId]).toContain(requestId);
      } finally {
        await world.close();
      }
    }),
    { numRuns: onPostgres ? 5 : 30 },
  );
});
