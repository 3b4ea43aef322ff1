import { z } from 'zod';

/** What a message does that comes while its thread works. */
export const laneModes = ['collect', 'followup', 'steer', 'steer_backlog', 'interrupt'] as const;
export const laneMode = z.enum(laneModes);
export type LaneMode = z.infer<typeof laneMode>;

/** Which message is refused when too many wait: the new one, or the one that waits longest. */
export const laneOverflows = ['drop_new', 'drop_old'] as const;
export const laneOverflow = z.enum(laneOverflows);
export type LaneOverflow = z.infer<typeof laneOverflow>;

export const maxLaneCap = 100;
export const maxDebounceMs = 10_000;

export const lanePolicy = z.strictObject({
  mode: laneMode,
  overflow: laneOverflow,
  /** Messages that may wait. */
  cap: z.number().int().min(0).max(maxLaneCap),
  /** How long `collect` waits for another message, in milliseconds. */
  debounceMs: z.number().int().min(0).max(maxDebounceMs),
  /** The next run reads which messages `drop_old` has dropped. */
  summarizeOverflow: z.boolean(),
});
export type LanePolicy = z.infer<typeof lanePolicy>;

export const laneOverrides = lanePolicy.partial();
export type LaneOverrides = z.infer<typeof laneOverrides>;

export const defaultLanePolicy: LanePolicy = {
  mode: 'followup',
  overflow: 'drop_new',
  cap: 20,
  debounceMs: 500,
  summarizeOverflow: true,
};

/** The settings of the server: for all threads, and for those of a channel. */
export const queueSettings = z.strictObject({
  default: laneOverrides,
  channels: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/), laneOverrides),
});
export type QueueSettings = z.infer<typeof queueSettings>;

/** What a thread keeps of its lane. */
export const laneRecord = z.object({
  /** Set by `/queue set`. */
  overrides: laneOverrides,
  /** Messages that were refused or dropped since the lane was last empty. */
  droppedCount: z.number().int().nonnegative(),
  /** The beginnings of dropped messages, for the next run. */
  droppedTexts: z.array(z.string()),
});
export type LaneRecord = z.infer<typeof laneRecord>;
