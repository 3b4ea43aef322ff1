// @vitest-environment node
import type { LiveEvent } from '@drawbridge/contracts/live';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { startFixture } from '../../test/fixture-server.ts';
import { apiFor } from '../../test/mounting.ts';
import { callOf, confirmationOf, online, worldOf } from '../../test/worlds.ts';
import { keepLive } from './live.ts';

const until = async (there: () => boolean, turn: () => Promise<void>) => {
  while (!there()) await turn();
};

const wordOf = ({ topic, event }: LiveEvent): string => {
  switch (topic) {
    case 'machine':
      return `state ${event.payload.state}`;
    case 'calls':
      return event.type === 'call' ? `call ${event.call.state}` : 'progress';
    case 'machines':
      return event.type;
    case 'settings':
    case 'usage':
      return event.type;
    case 'threads':
      return `thread ${event.threadId}`;
    default:
      return `confirmation ${event.confirmation.state}`;
  }
};

const listen = (origin: string) => {
  const clock = createFakeClock();
  const messages: string[] = [];
  const stop = keepLive({
    api: apiFor(origin),
    clock,
    listen: (message) => messages.push(message.type === 'event' ? wordOf(message.event) : message.type),
  });
  return { clock, messages, stop, saw: (what: string) => until(() => messages.includes(what), clock.settle) };
};

it('receives the state at once and each event after', async () => {
  const fixture = await startFixture(worldOf());
  const { clock, messages, stop, saw } = listen(fixture.origin);
  await saw('up');
  await saw('state online');
  fixture.emit({ topic: 'calls', event: { type: 'call', call: callOf() } });
  await saw('call succeeded');
  fixture.emit({
    topic: 'confirmations',
    event: { type: 'confirmation', confirmation: confirmationOf() },
  });
  await saw('confirmation open');
  fixture.emit({
    topic: 'machine',
    event: { type: 'instanceAiGatewayStateChanged', payload: { ...online, state: 'grace' } },
  });
  await saw('state grace');
  expect(messages.toSorted()).toEqual([
    'call succeeded',
    'confirmation open',
    'state grace',
    'state online',
    'up',
  ]);
  stop();
  await until(() => fixture.readers() === 0, clock.settle);
  await fixture.close();
});

it('reports that the session has ended, and stops retrying', async () => {
  const fixture = await startFixture(worldOf({ user: null }));
  const { clock, messages, stop } = listen(fixture.origin);
  await until(
    () => messages.includes('signed-out'),
    () => clock.settle(1_000),
  );
  expect(messages).not.toContain('up');
  expect(clock.waiting()).toBe(0);
  stop();
  await fixture.close();
});

it('reconnects after the server was down', async () => {
  const first = await startFixture(worldOf());
  const port = Number(new URL(first.origin).port);
  const { clock, messages, stop, saw } = listen(first.origin);
  await saw('up');
  await first.close();
  await saw('down');
  const second = await startFixture(worldOf(), { port });
  await until(
    () => messages.filter((word) => word === 'up').length === 2,
    () => clock.settle(1_000),
  );
  expect(messages.filter((word) => word === 'up' || word === 'down')).toEqual(['up', 'down', 'up']);
  stop();
  await second.close();
});
