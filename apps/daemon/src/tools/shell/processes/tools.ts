import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { Surroundings } from '../asked-command.ts';
import type { Launcher } from '../launch.ts';
import { processLimits } from './limits.ts';
import type { Processes } from './registry.ts';
import type { Report } from './report.ts';

/** What the tools of processes share. */
export interface ProcessTools {
  clock: Clock;
  prepare: Launcher;
  processes: Processes;
  report: Report;
  surroundings: Surroundings;
}

export const defaultChars = 20_000;

export const processInput = z.string().min(1).max(64).describe('The id that process_start gave');

const waitMs = z
  .number()
  .int()
  .min(0)
  .max(processLimits.waitMs)
  .optional()
  .describe('How long to wait at most, in milliseconds, up to 60000');

export const waitInput = { waitMs };

export const waitingInput = {
  waitFor: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(8)
    .optional()
    .describe(
      'Wait for one of these texts in new output, such as "Local:" or "error"; default: for any output and a pause',
    ),
  waitMs,
};
