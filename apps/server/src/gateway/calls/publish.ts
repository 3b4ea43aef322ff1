import type { CallEvent } from '@drawbridge/contracts/calls';
import type { Bus } from '../bus.ts';
import { toSummary, type CallRecord } from './call.ts';

/** Publishes what happens to a call to those who watch that user. */
export const publishCall = (bus: Bus, userId: string, event: CallEvent): void =>
  bus.publish(`user:${userId}`, { type: 'call-changed', userId, event });

/** Publishes the state of a call, where somebody watches that user. */
export const publishCallState = (bus: Bus, record: CallRecord): void => {
  if (bus.count(`user:${record.userId}`) > 0)
    publishCall(bus, record.userId, { type: 'call', call: toSummary(record) });
};
