import { sleep, type Clock } from '@drawbridge/kit';
import { changesSomething, type DaemonTool } from './common/tool.ts';

const checkEveryMs = 200;

/** Whether a tool presses keys or moves the mouse: with them it could answer the person's questions. */
export const isInput = (tool: Pick<DaemonTool, 'group' | 'effect'>): boolean =>
  tool.group === 'computer' && changesSomething(tool);

/** Keeps the tools' keys and mouse away from open questions. */
export interface InputHold {
  isHeld(requestId: string): boolean;
  /** Resolves when none is; rejects with the signal's reason. */
  released(requestId: string, signal: AbortSignal): Promise<void>;
  during<T>(job: () => Promise<T>): Promise<T>;
  /** Resolves when no input runs: from then on a question can be shown. */
  idle(): Promise<void>;
}

export const createInputHold = (needs: {
  clock: Clock;
  openQuestions(except: string): number;
}): InputHold => {
  const { clock, openQuestions } = needs;
  const running = new Set<Promise<unknown>>();
  const isHeld = (requestId: string) => openQuestions(requestId) > 0;
  return {
    isHeld,
    released: async (requestId, signal) => {
      while (isHeld(requestId)) await sleep(clock, checkEveryMs, signal);
    },
    during: async (job) => {
      const run = job();
      running.add(run);
      try {
        return await run;
      } finally {
        running.delete(run);
      }
    },
    idle: async () => {
      await Promise.allSettled(running);
    },
  };
};
