import type { CallState } from '@drawbridge/contracts/calls';
import type { CallRecord } from './call.ts';

/** What this server does at present, and has done since its start. */
export interface GatewayNumbers {
  /** Open calls in its memory, by their state. */
  openCalls: Readonly<Record<string, number>>;
  /** Calls that it has ended, by their state. */
  endedCalls: Readonly<Record<string, number>>;
  /** Streams of machines that are open here. */
  streams: number;
}

/** Counts the names. */
export const countsOf = (names: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** The calls that this server has ended, by their state. */
export const createCallNumbers = () => {
  const ended = new Map<CallState, number>();
  return {
    changed: ({ endedAt, state }: Pick<CallRecord, 'endedAt' | 'state'>): void => {
      if (endedAt !== null) ended.set(state, (ended.get(state) ?? 0) + 1);
    },
    ended: (): Record<string, number> => Object.fromEntries(ended),
  };
};
