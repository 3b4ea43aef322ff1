import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { FormAnswer } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { errorResult } from './result.ts';

export interface DispatchContext {
  /** Of this call alone on the machine, as `callTag` gives it. */
  tag: string;
  signal: AbortSignal;
  progress(update: ProgressBody): void;
  /** As in `RunContext`. */
  answers?(listen: (answers: readonly FormAnswer[]) => void): void;
  withdraw?(requestId: string): void;
  /** Awaited before anything changes; a rejection is the call's result. `paths` may be left half-written. */
  starting(paths: string[]): Promise<void>;
  /** Resolves when the server has the result, or never will. */
  delivered: Promise<void>;
}

/** Runs one call to its result. It never rejects: every failure is a result with `isError`. */
export type Dispatch = (request: ToolRequest, context: DispatchContext) => Promise<ToolResult>;

/** `started`: whether the tool may have changed something. */
export const cancelledResult = (started: boolean): ToolResult => ({
  ...errorResult('The call was cancelled'),
  _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': started },
});
