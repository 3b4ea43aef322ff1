import { z } from 'zod';
import { isoTime, machineId, requestId } from '../ids.ts';

/** What a person allows again and again: how many questions are looked at, and shown. */
export const repeatedLimits = {
  days: 30,
  atLeast: 3,
  questions: 1_000,
  shown: 5,
  calls: 10,
  /** In characters; a longer one cannot be read in a row. */
  resource: 500,
} as const;

const count = z.number().int().positive();

/** Something that was allowed once at least three times and never denied. */
export const repeated = z.object({
  machineId,
  toolGroup: z.string(),
  /** All that the rule allows: a command, a path, a host, or a server and its tool. */
  text: z.string(),
  /** Of a command. */
  folder: z.string().nullable(),
  /** To which the command may connect; null for all else. */
  host: z.string().nullable(),
  /** What makes the rule, to be run on the machine. Null where only an answer can. */
  command: z.string().nullable(),
  /** The rule's name in the list of rules. */
  covers: z.string(),
  allowed: count,
  /** So many questions the rule would have answered. */
  answered: count,
  /** Some of them, newest first. */
  calls: z.array(z.object({ requestId, at: isoTime })).max(repeatedLimits.calls),
});
export type Repeated = z.infer<typeof repeated>;
