import { sleep, type Clock } from '@drawbridge/kit';
import { changesSomething, type DaemonTool } from './common/tool.ts';

const checkEveryMs = 200;

/** Whether a tool presses keys or moves the mouse: with them it could answer the person's questions. */
export const isInput = (tool: Pick<DaemonTool, 'group' | 'effect'>): boolean =>
  tool.group === 'computer' && changesSomething(tool);

/** Keeps the tools' keys and mouse away from open questions. */
export const createInputHold = (needs: { clock: Clock; openQuestions(except: string): number }) => {
  const { clock, openQuestions } = needs;
  const running = new Set<Promise<unknown>>();
  const isHeld = (requestId: string) => openQuestions(requestId) > 0;
  return {
    isHeld,
    /** Resolves when none is; rejects with the signal's reason. */
    released: async (requestId: string, signal: AbortSignal) => {
      while (isHeld(requestId)) await sleep(clock, checkEveryMs, signal);
    },
    during: async <T>(job: () => Promise<T>) => {
      const run = job();
      running.add(run);
      try {
        return await run;
      } finally {
        running.delete(run);
      }
    },
    /** Resolves when no input runs: from then on a question can be shown. */
    idle: async () => {
      await Promise.allSettled(running);
    },
  };
};

export type InputHold = ReturnType<typeof createInputHold>;
