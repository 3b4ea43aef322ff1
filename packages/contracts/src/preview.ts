import { z } from 'zod';

const path = z.string().max(4_096);
const count = z.number().int().nonnegative();

/** How much of a text is not shown: whole lines, and all bytes in UTF-8. */
const omission = z.object({ lines: count, bytes: count });
export type Omission = z.infer<typeof omission>;

const lineKind = z.enum(['same', 'removed', 'added']);
export type LineKind = z.infer<typeof lineKind>;

/**
 * A line of a change, without its line feed. `omittedBytes`: how much of its end is left out.
 * `lastWithoutLineFeed`: the text ends here without a line feed.
 */
const shownLine = z.object({
  kind: lineKind,
  text: z.string().max(60_000),
  omittedBytes: count.optional(),
  lastWithoutLineFeed: z.literal(true).optional(),
});

/** Lines of one kind that are left out. */
const omittedLines = omission.extend({ kind: z.literal('omitted'), of: lineKind });

const hunkLine = z.discriminatedUnion('kind', [shownLine, omittedLines]);
export type HunkLine = z.infer<typeof hunkLine>;

/**
 * Changed lines with context. `oldStart`, `newStart`: the first line number in the old and the new file;
 * absent if unknown. `file`: in a diff of several files, which one this hunk and those after it change.
 */
const hunk = z.object({
  file: path.optional(),
  oldStart: count.optional(),
  newStart: count.optional(),
  lines: z.array(hunkLine).max(10_000),
});
export type Hunk = z.infer<typeof hunk>;

/** The change of a text as data, in hunks of changed lines. */
const diffPreview = z.object({
  kind: z.literal('diff'),
  path,
  hunks: z.array(hunk).max(10_000),
  added: count,
  removed: count,
  /** The number of lines of the new file; absent if unknown. */
  lines: count.optional(),
});
export type DiffPreview = z.infer<typeof diffPreview>;

/**
 * A text from its start. `content`: the new content of the file. `unknown`: from an older daemon, which does
 * not state what it is or how much is left out.
 */
const textPreview = z.object({
  kind: z.literal('text'),
  of: z.enum(['content', 'unknown']),
  path,
  text: z.string().max(200_000),
  omitted: z.union([omission, z.literal('unknown')]).optional(),
});
export type TextPreview = z.infer<typeof textPreview>;

export const preview = z.discriminatedUnion('kind', [diffPreview, textPreview]);
export type Preview = z.infer<typeof preview>;

/** The form of older daemons and older stored questions: either a patch or a whole text. */
const olderPreview = z.object({
  kind: z.literal('diff'),
  path,
  text: z.string().max(200_000),
  truncated: z.boolean(),
});

/** A preview in either form. */
export const sentPreview = z.union([preview, olderPreview]);
export type SentPreview = z.infer<typeof sentPreview>;

/** An older preview counts as a text. */
export const toPreview = (sent: SentPreview): Preview => {
  if (!('truncated' in sent)) return sent;
  const { path: where, text, truncated } = sent;
  return {
    kind: 'text',
    of: 'unknown',
    path: where,
    text,
    ...(truncated && { omitted: 'unknown' as const }),
  };
};
