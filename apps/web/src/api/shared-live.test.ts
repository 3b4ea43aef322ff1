// @vitest-environment node
import type { LiveEvent } from '@drawbridge/contracts/live';
import { createFakeClock } from '@drawbridge/kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { confirmationOf, online } from '../../test/worlds.ts';
import type { Listen } from './live.ts';
import { shareLive } from './shared-live.ts';

const clock = createFakeClock();

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

const wordOf = ({ topic, event }: LiveEvent) => `${topic} ${'type' in event ? event.type : event.threadId}`;

const windowOf = (userId: string, build = 'a') => {
  const messages: string[] = [];
  let send: Listen | null = null;
  const stop = shareLive({
    userId,
    build,
    clock,
    recall: () => [{ type: 'progress', requestId: 'r0', output: 'one', outputOffset: 0 }],
    open: (listen) => {
      send = listen;
      messages.push('opens');
      return () => messages.push('closes');
    },
    listen: (message) => messages.push(message.type === 'event' ? wordOf(message.event) : message.type),
  });
  stops.push(stop);
  return { messages, stop, stream: () => send };
};

const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await clock.settle();
};
const until = async (there: () => boolean) => {
  while (!there()) await clock.settle();
};

it('opens the stream in one window and forwards it to the others', async () => {
  const first = windowOf('u1');
  await until(() => first.stream() !== null);
  first.stream()?.({ type: 'up' });
  const second = windowOf('u1');
  await until(() => second.messages.includes('up'));
  const emit = (event: LiveEvent) => first.stream()?.({ type: 'event', event });
  emit({ topic: 'machine', event: { type: 'instanceAiGatewayStateChanged', payload: online } });
  emit({ topic: 'confirmations', event: { type: 'confirmation', confirmation: confirmationOf() } });
  emit({ topic: 'calls', event: { type: 'progress', requestId: 'r1' } });
  first.stream()?.({ type: 'down' });
  await until(() => second.messages.includes('down'));
  const forwarded = ['machine instanceAiGatewayStateChanged', 'confirmations confirmation', 'calls progress'];
  expect([first.messages, second.messages]).toEqual([
    ['opens', 'up', ...forwarded, 'down'],
    ['up', 'calls progress', ...forwarded, 'down'],
  ]);
});

it('hands over to the next window when the leading one closes', async () => {
  const first = windowOf('u1');
  await until(() => first.stream() !== null);
  const second = windowOf('u1');
  await settle();
  expect(second.messages).toEqual([]);
  first.stop();
  await until(() => second.stream() !== null);
  expect([first.messages, second.messages]).toEqual([['opens', 'closes'], ['opens']]);
});

it.each([
  ['two people', windowOf.bind(null, 'u2')],
  ['two builds', windowOf.bind(null, 'u1', 'b')],
])('shares nothing between %s', async (_what, openOther) => {
  const ada = windowOf('u1');
  const bob = openOther();
  await until(() => ada.stream() !== null && bob.stream() !== null);
  ada.stream()?.({ type: 'signed-out' });
  await settle();
  expect([ada.messages, bob.messages]).toEqual([['opens', 'signed-out'], ['opens']]);
});

it('keeps its own stream where there are no locks, until it has been hidden for 30 s', () => {
  vi.stubGlobal('navigator', {});
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', page);
  const show = (visibilityState: string) => {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const [one, two] = [windowOf('u1'), windowOf('u1')];
  expect([one.messages, two.messages]).toEqual([['opens'], ['opens']]);
  two.stop();
  show('hidden');
  clock.advance(29_999);
  show('visible');
  show('hidden');
  clock.advance(29_999);
  expect(one.messages).toEqual(['opens']);
  clock.advance(1);
  expect(one.messages).toEqual(['opens', 'closes', 'down']);
  show('visible');
  one.stop();
  expect([one.messages, two.messages]).toEqual([
    ['opens', 'closes', 'down', 'opens', 'closes'],
    ['opens', 'closes'],
  ]);
});
