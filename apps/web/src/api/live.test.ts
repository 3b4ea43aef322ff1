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
    default:
      return `confirmation ${event.confirmation.state}`;
  }
};

const listen = (origin: string) => {
  const clock = createFakeClock();
  const heard: string[] = [];
  const stop = keepLive({
    api: apiFor(origin),
    clock,
    listener: {
      onEvent: (event) => heard.push(wordOf(event)),
      onUp: () => heard.push('up'),
      onDown: () => heard.push('down'),
      onSignedOut: () => heard.push('signed out'),
    },
  });
  return { clock, heard, stop, saw: (what: string) => until(() => heard.includes(what), clock.settle) };
};

it('hears the state at once and each event after', async () => {
  const fixture = await startFixture(worldOf());
  const { clock, heard, stop, saw } = listen(fixture.origin);
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
  expect(heard.toSorted()).toEqual([
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

it('says so when the session is over, and asks no further', async () => {
  const fixture = await startFixture(worldOf({ user: null }));
  const { clock, heard, stop } = listen(fixture.origin);
  await until(
    () => heard.includes('signed out'),
    () => clock.settle(1_000),
  );
  expect(heard).not.toContain('up');
  expect(clock.waiting()).toBe(0);
  stop();
  await fixture.close();
});

it('comes back by itself after the server was away', async () => {
  const first = await startFixture(worldOf());
  const port = Number(new URL(first.origin).port);
  const { clock, heard, stop, saw } = listen(first.origin);
  await saw('up');
  await first.close();
  await saw('down');
  const second = await startFixture(worldOf(), { port });
  await until(
    () => heard.filter((word) => word === 'up').length === 2,
    () => clock.settle(1_000),
  );
  expect(heard.filter((word) => word === 'up' || word === 'down')).toEqual(['up', 'down', 'up']);
  stop();
  await second.close();
});
