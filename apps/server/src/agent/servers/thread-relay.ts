import type { ThreadKey, ThreadRelay } from '@drawbridge/agent';
import type { ThisServer } from '../../gateway/index.ts';
import type { DriversStore } from './drivers.store.ts';

const topicOf = ({ userId, threadId }: ThreadKey) => `thread:${userId} ${threadId}` as const;
const defaultLookMs = 2_000;

/** Signals of threads over the bus: what this server publishes, it does not get. */
export const createThreadRelay = (
  { bus }: Pick<ThisServer, 'bus'>,
  { driverOf }: Pick<DriversStore, 'driverOf'>,
): ThreadRelay => ({
  publish: (key, signal) => bus.publish(topicOf(key), { type: 'thread-signal', signal, by: bus.here }),
  subscribe: (key, listener) =>
    bus.subscribe(topicOf(key), (message) => {
      if (message.type === 'thread-signal' && message.by !== bus.here) listener(message.signal);
    }),
  publishChange: ({ userId, threadId }) =>
    bus.publish(`user:${userId}`, { type: 'thread-changed', threadId, by: bus.here }),
  subscribeChanges: (userId, listener) =>
    bus.subscribe(`user:${userId}`, (message) => {
      if (message.type === 'thread-changed' && message.by !== bus.here) listener(message.threadId);
    }),
  wantPartial: ({ userId, threadId }) => {
    const ask = async () => {
      const driverId = await driverOf({ userId, threadId });
      if (driverId !== null) bus.publish(`server:${driverId}`, { type: 'partial-wanted', userId, threadId });
    };
    // A text that is not shown from its beginning is shown with its step.
    ask().catch(() => {});
  },
  lookEveryMs: bus.pollMs ?? defaultLookMs,
  onGap: bus.onGap,
});
