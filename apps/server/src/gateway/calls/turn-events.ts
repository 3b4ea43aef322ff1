import type { TurnProgress } from '@drawbridge/contracts/machines/runtimes';
import type { CallRecord } from './call.ts';

/** A post about the turn of a coding agent that answers a thread. */
export interface TurnReport {
  userId: string;
  requestId: string;
  turn: TurnProgress;
}

/** Stores what is new of it; resolves to how many events are stored, or undefined where none are kept. */
export type TurnListener = (report: TurnReport) => Promise<number | undefined>;

export type TurnEvents = ReturnType<typeof createTurnEvents>;

/** What coding agents do in the turns of threads, for the one listener that stores it. */
export const createTurnEvents = () => {
  let listener: TurnListener = async () => undefined;
  return {
    listen: (next: TurnListener): void => {
      listener = next;
    },
    report: async (
      { userId, requestId, via }: CallRecord,
      turn: TurnProgress | undefined,
    ): Promise<{ turnEvents?: number }> => {
      if (turn === undefined || via?.kind !== 'thread') return {};
      const turnEvents = await listener({ userId, requestId, turn });
      return turnEvents === undefined ? {} : { turnEvents };
    },
  };
};
