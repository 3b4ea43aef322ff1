import { z } from 'zod';
import { isoTime, machineId, requestId } from '../ids.ts';
import { preview } from '../preview.ts';

/** Of changed files: how many are named, from how many calls, of how much text, and how long a diff gets. */
export const recapFilesLimits = {
  files: 100,
  calls: 300,
  /** JSON of previews that is read, in UTF-16 code units. */
  previews: 2 * 1024 * 1024,
  /** A diff with more lines is not merged with the next one. */
  mergedLines: 3_000,
  /** Calls of file tools that are looked at for what may have come in between. */
  looked: 5_000,
} as const;

/** `from` is included, `to` is not. */
export const recapFilesInput = z.strictObject({ from: isoTime, to: isoTime });
export type RecapFilesInput = z.infer<typeof recapFilesInput>;

/**
 * Why a change is not merged with the one before it. `noText`, `notWhole`: of one of them no text is kept, or
 * something is left out, or there is no text before. `otherCall`: another call may have changed the file
 * between them. `otherText`: it found another text than the other left. `tooLong`: both together.
 */
export const notMergedCauses = ['noText', 'notWhole', 'otherCall', 'otherText', 'tooLong'] as const;
export type NotMergedCause = (typeof notMergedCauses)[number];

/** One change, or several merged to one. `preview`: null where the machine sent no text. */
const recapStep = z.object({
  calls: z.array(z.object({ requestId, tool: z.string(), at: isoTime })),
  preview: preview.nullable(),
  /** Null for the first. */
  notMerged: z.enum(notMergedCauses).nullable(),
});
export type RecapStep = z.infer<typeof recapStep>;

const recapFile = z.object({ machineId, path: z.string(), steps: z.array(recapStep) });
export type RecapFile = z.infer<typeof recapFile>;

const count = z.number().int().nonnegative();

/** Files that calls have changed, the one that was changed last first. `left`: what is not in them. */
export const recapFiles = z.object({
  files: z.array(recapFile).max(recapFilesLimits.files),
  left: z.object({ files: count, calls: count }),
});
export type RecapFiles = z.infer<typeof recapFiles>;
