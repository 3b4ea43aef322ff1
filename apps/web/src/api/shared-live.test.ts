// @vitest-environment node
import { createFakeClock } from '@drawbridge/kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { confirmationOf, online } from '../../test/worlds.ts';
import type { Listener } from './listener.ts';
import { shareLive } from './shared-live.ts';

/** The browser's locks, as far as they are used: one holder, the others wait in line. */
const createLocks = () => {
  const lines = new Map<string, Promise<unknown>>();
  return {
    request: (name: string, { signal }: { signal: AbortSignal }, run: () => Promise<void>) => {
      const turn = (lines.get(name) ?? Promise.resolve()).then(() => (signal.aborted ? undefined : run()));
      lines.set(name, turn);
      return turn;
    },
  };
};

let stops: (() => void)[] = [];
beforeEach(() => vi.stubGlobal('navigator', { locks: createLocks() }));
afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
  vi.unstubAllGlobals();
});

const windowOf = (userId: string) => {
  const heard: string[] = [];
  let stream: Listener | null = null;
  const stop = shareLive({
    userId,
    recall: () => [{ type: 'progress', requestId: 'r0', output: 'one', outputOffset: 0 }],
    open: (listener) => {
      stream = listener;
      heard.push('opens');
      return () => heard.push('closes');
    },
    listener: {
      onEvent: ({ topic, event }) => heard.push(`${topic} ${event.type}`),
      onUp: () => heard.push('up'),
      onDown: () => heard.push('down'),
      onSignedOut: () => heard.push('signed out'),
    },
  });
  stops.push(stop);
  return { heard, stop, stream: () => stream };
};

const clock = createFakeClock();
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await clock.settle();
};
const until = async (there: () => boolean) => {
  while (!there()) await clock.settle();
};

it('opens the stream in one window and tells the others', async () => {
  const first = windowOf('u1');
  await until(() => first.stream() !== null);
  first.stream()?.onUp();
  const second = windowOf('u1');
  await until(() => second.heard.includes('up'));
  first.stream()?.onEvent({
    topic: 'machine',
    event: { type: 'instanceAiGatewayStateChanged', payload: online },
  });
  first.stream()?.onEvent({
    topic: 'confirmations',
    event: { type: 'confirmation', confirmation: confirmationOf() },
  });
  first.stream()?.onEvent({ topic: 'calls', event: { type: 'progress', requestId: 'r1' } });
  first.stream()?.onDown();
  await until(() => second.heard.includes('down'));
  const told = ['machine instanceAiGatewayStateChanged', 'confirmations confirmation', 'calls progress'];
  expect([first.heard, second.heard]).toEqual([
    ['opens', 'up', ...told, 'down'],
    ['up', 'calls progress', ...told, 'down'],
  ]);
});

it('hands over to the next window when the leading one closes', async () => {
  const first = windowOf('u1');
  await until(() => first.stream() !== null);
  const second = windowOf('u1');
  await settle();
  expect(second.heard).toEqual([]);
  first.stop();
  await until(() => second.stream() !== null);
  expect([first.heard, second.heard]).toEqual([['opens', 'closes'], ['opens']]);
});

it('shares nothing between two people', async () => {
  const ada = windowOf('u1');
  const bob = windowOf('u2');
  await until(() => ada.stream() !== null && bob.stream() !== null);
  ada.stream()?.onSignedOut();
  await settle();
  expect([ada.heard, bob.heard]).toEqual([['opens', 'signed out'], ['opens']]);
});

it('drops what does not read as an event', async () => {
  const leader = windowOf('u1');
  await until(() => leader.stream() !== null);
  const follower = windowOf('u1');
  await settle();
  const other = new BroadcastChannel('drawbridge-live u1');
  other.postMessage({ type: 'event', event: { topic: 'confirmations', event: { id: 'x' } } });
  other.postMessage({ type: 'down' });
  await until(() => follower.heard.includes('down'));
  expect(follower.heard).toEqual(['down']);
  other.close();
});

it('keeps its own stream where there are no locks', () => {
  vi.stubGlobal('navigator', {});
  expect([windowOf('u1').heard, windowOf('u1').heard]).toEqual([['opens'], ['opens']]);
});
