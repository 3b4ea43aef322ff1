import { z } from 'zod';

const path = z.string().max(4_096);
const count = z.number().int().nonnegative();

/** How much of a text is not in a preview: lines that stand there with nothing of them shown, and all bytes in UTF-8. */
const omission = z.object({ lines: count, bytes: count });
export type Omission = z.infer<typeof omission>;

const lineKind = z.enum(['same', 'removed', 'added']);
export type LineKind = z.infer<typeof lineKind>;

/**
 * A line of a change, without its line feed. `omittedBytes`: how much of its end is left out. `lastWithoutLineFeed`: the
 * text ends here, and not with a line feed.
 */
const shownLine = z.object({
  kind: lineKind,
  text: z.string().max(60_000),
  omittedBytes: count.optional(),
  lastWithoutLineFeed: z.literal(true).optional(),
});

/** Lines of one kind that stand here and are left out. */
const omittedLines = omission.extend({ kind: z.literal('omitted'), of: lineKind });

const hunkLine = z.discriminatedUnion('kind', [shownLine, omittedLines]);
export type HunkLine = z.infer<typeof hunkLine>;

/**
 * Lines that change, with a few around them. `oldStart`, `newStart`: the number of its first line in the old and in the new
 * file; left out where that is not known.
 */
const hunk = z.object({
  oldStart: count.optional(),
  newStart: count.optional(),
  lines: z.array(hunkLine).max(10_000),
});
export type Hunk = z.infer<typeof hunk>;

/** What a write would change in a text, as data. Lines that stay, away from those that change, are in no hunk. */
const diffPreview = z.object({
  kind: z.literal('diff'),
  path,
  hunks: z.array(hunk).max(10_000),
  added: count,
  removed: count,
  /** How many lines the new file has; left out where that is not known. */
  lines: count.optional(),
});
export type DiffPreview = z.infer<typeof diffPreview>;

/**
 * A text from its start. `content`: what the file will hold. `unknown`: what an older daemon sends, which says neither what
 * it is nor how much is left out.
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

/** The form that older daemons send, and that older questions are stored in: a patch or a whole text, and no word which. */
const olderPreview = z.object({
  kind: z.literal('diff'),
  path,
  text: z.string().max(200_000),
  truncated: z.boolean(),
});

/** A preview in either form. */
export const sentPreview = z.union([preview, olderPreview]);
export type SentPreview = z.infer<typeof sentPreview>;

/** Nothing is guessed from an older preview: it is a text. */
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
