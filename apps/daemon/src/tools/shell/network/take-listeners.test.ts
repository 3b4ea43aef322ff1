import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Server } from 'node:net';
import { expect, it } from 'vitest';
import { takeListeners } from './take-listeners.ts';

/** A channel without a process: what comes on it is what a command could write. */
const openChannel = (count: number) => {
  const events: string[] = [];
  const child = Object.assign(new EventEmitter(), {
    connected: true,
    disconnect: () => {
      events.push('closed');
      child.connected = false;
    },
  });
  const isComplete = takeListeners(child as unknown as ChildProcess, {
    count,
    serve: (port) => void events.push(`serves ${port}`),
    forged: () => void events.push('forged'),
  });
  return { child, events, isComplete };
};

it('closes the channel with the last listener', () => {
  const { child, events, isComplete } = openChannel(2);
  child.emit('message', '3128', new Server());
  expect(isComplete()).toBe(false);
  child.emit('message', '5432', new Server());
  expect([events, isComplete()]).toEqual([['serves 3128', 'serves 5432', 'closed'], true]);
});

it.each<[string, unknown, unknown]>([
  ['no listener', '3128', undefined],
  ['another message', { cmd: 'NODE_HANDLE' }, new Server()],
  ['another handle', '3128', {}],
])('SH-68 %s is not taken', (_case, message, handle) => {
  const { child, events, isComplete } = openChannel(1);
  child.emit('message', message, handle);
  expect([events, isComplete()]).toEqual([['forged'], false]);
});

it('SH-68 nothing is taken after the last listener', () => {
  const { child, events } = openChannel(1);
  child.emit('message', '3128', new Server());
  child.emit('message', '3129', new Server());
  expect(events).toEqual(['serves 3128', 'closed', 'forged']);
});
