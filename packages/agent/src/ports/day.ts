import type { ModelInfo } from './model.ts';

/** A reserved part of the day, for a call of this model. Call `leave` once the usage is stored. */
export type DayEntry = { problem: string } | { problem: null; info: ModelInfo | null; leave(): void };

/** The daily limits of each user, entered before each model call. */
export interface Day {
  /** Reserves a model call, or says why there can be none today; null where it was aborted meanwhile. */
  enter(userId: string, use: 'main' | 'helper', signal: AbortSignal): Promise<DayEntry | null>;
}
