import { z } from 'zod';

/** Of a recording in the panel. */
export const recordingLimits = {
  /** As of a voice message of a chat platform. */
  bytes: 8 * 1024 * 1024,
  /** The panel stops then. */
  ms: 5 * 60_000,
  bitsPerSecond: 32_000,
  /** Recordings and answers of one person in a minute. */
  perMinute: 20,
  /** Of an answer, in characters; of its words at most 4,000 are read out. */
  answerLength: 32_000,
} as const;

/** What the owner has set: whether recordings become text, and whether answers are read out. */
export const voiceStatus = z.object({ understands: z.boolean(), speaks: z.boolean() });
export type VoiceStatus = z.infer<typeof voiceStatus>;

export const understandInput = z.strictObject({
  data: z.base64().max(Math.ceil(recordingLimits.bytes / 3) * 4),
});
export const speakInput = z.strictObject({
  text: z.string().trim().min(1).max(recordingLimits.answerLength),
});
