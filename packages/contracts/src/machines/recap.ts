import { z } from 'zod';
import { callMaker } from '../calls.ts';
import { isoTime, machineId } from '../ids.ts';

/** How far back a recap looks, when a visit is a new one, and how many agents and machines it names. */
export const recapLimits = { days: 7, newVisitMinutes: 60, rows: 20 } as const;

const count = z.number().int().nonnegative();

/** Calls of one agent on one machine. `asked` and `byRule`: what decided them. */
const recapRow = z.object({
  /** As the filter of calls has it; all chats are one. */
  by: callMaker,
  /** What it was called last; empty for the panel and for chats. */
  name: z.string(),
  machineId,
  calls: count,
  asked: count,
  byRule: count,
  denied: count,
  failed: count,
  commands: count,
  processes: count,
});
export type RecapRow = z.infer<typeof recapRow>;

/** What was called from the last visit on to the start of this one; most calls first. */
export const recap = z.object({
  from: isoTime,
  to: isoTime,
  rows: z.array(recapRow).max(recapLimits.rows),
  /** What the rows leave out. */
  others: z.object({ rows: count, calls: count }),
});
export type Recap = z.infer<typeof recap>;

export const recapSeenInput = z.strictObject({ to: isoTime });
