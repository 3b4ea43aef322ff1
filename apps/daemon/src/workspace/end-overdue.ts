import type { Clock } from '@drawbridge/kit';
import { clampTimeout } from '../tools/shell/shell-execute.ts';

/** After the time of a command and of its ending: its processes have left their group and lost their tag. */
const graceMs = 3_000;

/** Ends every other process of the container when the command of a call outlives its time. */
export const endOverdue = ({ timeout }: Record<string, unknown>, clock: Clock): void => {
  const limitMs = clampTimeout(typeof timeout === 'number' ? timeout : undefined) + graceMs;
  clock.after(limitMs, () => {
    try {
      // All but this process and the first one, in one step: none of them can start another meanwhile.
      process.kill(-1, 'SIGKILL');
    } catch {
      // There is no other.
    }
  });
};
