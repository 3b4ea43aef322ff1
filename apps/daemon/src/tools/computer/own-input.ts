import type { Clock } from '@drawbridge/kit';

/** What was sent to a display may reach a window a little later. */
const settleMs = 500;

/** Whether keys and clicks may come from a tool: what is heard meanwhile is no answer of the person. */
export interface OwnInput {
  /** Counts as input of ours until 500 ms after it has ended. */
  during<T>(run: () => Promise<T>): Promise<T>;
  isActive(): boolean;
}

export const unwatchedInput: OwnInput = { during: (run) => run(), isActive: () => false };

export const createOwnInput = (clock: Clock): OwnInput => {
  let active = 0;
  return {
    during: async (run) => {
      active += 1;
      try {
        return await run();
      } finally {
        clock.after(settleMs, () => {
          active -= 1;
        });
      }
    },
    isActive: () => active > 0,
  };
};
