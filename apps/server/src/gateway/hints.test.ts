import type { CallEvent } from '@drawbridge/contracts/calls';
import { sleep } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { allow } from '../../test/asked.ts';
import { connect, idOf, initBody, openGateway, question, text } from '../../test/gateway-fixture.ts';
import { createLossyHub, type Fate } from '../../test/lossy-bus.ts';
import { requireMachine } from '../callers/index.ts';

const pollMs = 2_000;
const write = { name: 'write_file', arguments: {} };

/** Two servers on one store, with the machine at the first one; `fate` is that of each message between. */
const openTwo = async (fate: { next: Fate }, readyAfterMs?: number) => {
  const fixture = await openGateway();
  onTestFinished(fixture.close);
  const { clock, errors } = fixture;
  await fixture.gateway.stop();
  const hub = createLossyHub({
    clock,
    fate: () => fate.next,
    ...(readyAfterMs !== undefined && { isReady: () => sleep(clock, readyAfterMs) }),
    onError: (error) => void errors.push(error),
  });
  const here = await fixture.beside({ clock, bus: hub.open('here', { pollMs }) });
  const there = await fixture.beside({ clock, bus: hub.open('there', { pollMs }) });
  await clock.settle(readyAfterMs ?? 0);
  const { key, stream } = await connect(here, 'ada');
  const ref = await requireMachine(here, { userId: 'ada' });
  const run = async () => (await here.calls.open(ref, write, { door: 'trpc' })).requestId;
  return { hub, clock, here, there, key, stream, run };
};

it('a change at one server is published to the other, where there is no watcher at the first one', async () => {
  const { clock, here, there, key, run } = await openTwo({ next: 'arrives' });
  const calls: CallEvent[] = [];
  const refused: string[] = [];
  const watches = [
    there.calls.onChanged('ada', (event) => calls.push(event)),
    there.machines.onRefused('ada', ({ code }) => refused.push(code)),
  ];
  await Promise.all(watches.map(({ ready }) => ready));
  await here.daemon.respond(key, await run(), text('done'));
  const { token } = await here.pairing.createLink('ada');
  await here.daemon.init(token, initBody({ hostIdentifier: 'ada@desk' }));
  await expect(here.daemon.init(token, initBody({ hostIdentifier: 'ada@spare' }))).rejects.toThrow();
  await clock.settle();
  expect(calls).toMatchObject([
    { call: { state: 'delivered', rev: 1 } },
    { call: { state: 'succeeded', rev: 2 } },
  ]);
  expect(refused).toEqual(['PAIRING_TOKEN_USED']);
  for (const { stop } of watches) stop();
});

it('a question that a late message tells of ends no wait: its call runs again', async () => {
  const fate: { next: Fate } = { next: 'is late' };
  const { clock, here, there, key, stream, run } = await openTwo(fate);
  const requestId = await run();
  await here.daemon.respond(key, requestId, question());
  await here.confirmations.decide('ada', { requestId }, allow());
  const seen: string[] = [];
  const handle = await there.calls.follow('ada', requestId);
  void handle.wait({ until: 'asked' }).then(({ state }) => seen.push(state));
  await clock.settle(1_000);
  expect(seen).toEqual([]);
  await here.daemon.respond(key, idOf(stream), text('done'));
  await clock.settle(1_000);
  expect(seen).toEqual(['succeeded']);
});

it('the end of a call that no message tells of is found by the poll, and at once after a gap', async () => {
  const fate: { next: Fate } = { next: 'arrives' };
  const { clock, hub, here, there, key, run } = await openTwo(fate);
  const ids = [await run(), await run()];
  const seen: string[] = [];
  const wait = async (requestId: string) => {
    const handle = await there.calls.follow('ada', requestId);
    void handle.wait({ until: 'ended' }).then(({ state }) => seen.push(state));
    await clock.settle();
  };
  fate.next = 'is lost';
  const [polled = '', missed = ''] = ids;
  await wait(polled);
  await here.daemon.respond(key, polled, text('done'));
  await clock.settle();
  expect(seen).toEqual([]);
  await clock.settle(pollMs);
  expect(seen).toEqual(['succeeded']);
  await wait(missed);
  await here.daemon.respond(key, missed, text('done'));
  hub.gap();
  await clock.settle();
  expect(seen).toEqual(['succeeded', 'succeeded']);
});

it('what happens before a subscription is ready is read once it is', async () => {
  const { clock, here, there, key, run } = await openTwo({ next: 'arrives' }, 300);
  const requestId = await run();
  const handle = await there.calls.follow('ada', requestId);
  const seen: string[] = [];
  void handle.wait({ until: 'ended' }).then(({ state }) => seen.push(state));
  await clock.settle(100);
  await here.daemon.respond(key, requestId, text('done'));
  await clock.settle();
  expect(seen).toEqual([]);
  await clock.settle(200);
  expect(seen).toEqual(['succeeded']);
});
