import { z } from 'zod';
import { isoTime, machineId, requestId } from '../ids.ts';

/** Commands that a person allows again and again: how many are looked at, and shown. */
export const repeatedLimits = {
  days: 30,
  atLeast: 3,
  questions: 1_000,
  shown: 5,
  calls: 10,
  /** In characters; a longer command cannot be read in a row. */
  resource: 500,
} as const;

const count = z.number().int().positive();

/** A command that was allowed once at least three times and never denied. */
export const repeated = z.object({
  machineId,
  /** The only command that the rule allows, and its folder. */
  text: z.string(),
  folder: z.string(),
  /** What makes the rule, to be run on the machine. */
  command: z.string(),
  /** The rule's name in the list of rules. */
  covers: z.string(),
  allowed: count,
  /** So many questions the rule would have answered. */
  answered: count,
  /** Some of them, newest first. */
  calls: z.array(z.object({ requestId, at: isoTime })).max(repeatedLimits.calls),
});
export type Repeated = z.infer<typeof repeated>;
