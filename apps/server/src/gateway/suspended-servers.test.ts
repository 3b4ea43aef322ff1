import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fate } from '../../test/lossy-bus.ts';
import { openStream, text, type FakeStream } from '../../test/gateway-fixture.ts';
import { openTwo, type TwoServers } from '../../test/two-servers.ts';

const fates: Fate[] = ['arrives', 'is late', 'arrives twice', 'is lost'];

const step = fc.record({
  does: fc.constantFrom('run', 'answer', 'progress', 'cancel', 'move', 'drop', 'suspend', 'resume', 'wait'),
  at: fc.constantFrom(0, 1),
  call: fc.nat(3),
  ms: fc.constantFrom(0, 1_000, 5_000, 12_000),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A stream, and how many calls it had received when a newer one was opened. */
interface Opened {
  stream: FakeStream;
  until: number;
}

/** What a daemon gets again it has begun already, and knows by its id. */
const firstDeliveries = ({ stream }: Opened) => stream.requests().filter(({ again }) => again !== true);

const createPlay = (world: TwoServers) => {
  const { one, two, key, clock } = world;
  const servers = [one, two];
  const suspended = [false, false];
  const calls: Awaited<ReturnType<TwoServers['start']>>[] = [];
  const streams: Opened[] = [{ stream: world.stream, until: Infinity }];

  const move = async (at: number) => {
    const stream = await openStream(servers[at]?.gateway ?? one.gateway, key);
    const last = streams.at(-1);
    if (last) last.until = firstDeliveries(last).length;
    streams.push({ stream, until: Infinity });
  };
  const suspend = (at: number, is: boolean) => {
    suspended[at] = is;
    servers[at]?.suspend(is);
  };
  const perform = async ({ does, at, call: which, ms }: Step) => {
    const gateway = servers[at]?.gateway ?? one.gateway;
    const call = calls[which % Math.max(1, calls.length)];
    if (does === 'wait') return clock.settle(ms);
    if (does === 'resume') return suspend(at, false);
    // One of the two always goes on.
    if (does === 'suspend') return suspended.includes(true) ? undefined : suspend(at, true);
    if (suspended[at]) return;
    if (does === 'run') return calls.length < 3 ? void calls.push(await world.start(gateway)) : undefined;
    if (does === 'move') return move(at);
    if (does === 'drop') return streams.at(-1)?.stream.drop();
    if (!call?.requestId) return;
    if (does === 'answer') await gateway.daemon.respond(key, call.requestId, text('done'));
    if (does === 'progress') await gateway.daemon.progress(key, call.requestId, { message: 'half' });
    if (does === 'cancel') await gateway.calls.cancel('ada', call.requestId);
  };
  const finish = async () => {
    for (const at of [0, 1]) suspend(at, false);
    await clock.settle(15_000);
    await move(0);
    await clock.settle(90_000);
  };
  return { calls, streams, perform, finish };
};

it(
  'servers that are suspended and go on make no call twice, and leave none open',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 6, maxLength: 20 }),
        fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 8 }),
        async (plan, lots) => {
          let drawn = 0;
          const world = await openTwo({ fate: () => lots[drawn++ % lots.length] ?? 'arrives' });
          try {
            const { calls, streams, perform, finish } = createPlay(world);
            calls.push(await world.start(world.one.gateway));
            for (const todo of plan) {
              // What came too late is refused, and says so.
              await perform(todo).catch((error: unknown) => {
                expect(error).toMatchObject({ code: expect.any(String) });
              });
              await world.clock.settle();
            }
            await finish();
            const requests = streams.flatMap(firstDeliveries).map(({ requestId }) => requestId);
            expect(requests.length).toBe(new Set(requests).size);
            for (const opened of streams)
              expect(firstDeliveries(opened).length).toBeLessThanOrEqual(opened.until);
            for (const { requestId, end } of calls) {
              if (requestId === '' || (end !== null && 'refused' in (end as object))) continue;
              const { state, endedAt, dueAt } = await world.rowOf(requestId);
              expect([state, dueAt]).toEqual([(end as { state: string } | null)?.state, endedAt]);
            }
          } finally {
            await world.close();
          }
        },
      ),
      { numRuns: 20 },
    );
  },
);
