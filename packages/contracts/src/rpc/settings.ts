import { z } from 'zod';

/** What a message does while its session is busy. */
export const queueModes = ['collect', 'followup', 'steer', 'steer_backlog', 'interrupt'] as const;
export const queueOverflows = ['drop_new', 'drop_old'] as const;

export const queuePolicy = z.strictObject({
  mode: z.enum(queueModes),
  overflow: z.enum(queueOverflows),
  /** The most messages that may wait. */
  cap: z.number().int().min(0).max(100),
  debounceMs: z.number().int().min(0).max(10_000),
  /** Whether dropped messages are listed before the next run. */
  summarizeOverflow: z.boolean(),
});
export type QueuePolicy = z.infer<typeof queuePolicy>;

const frontend = z.string().max(64).regex(/^[a-z][a-z0-9_-]*$/);
const partialPolicy = queuePolicy.partial();

/** Settings of the server that change while it runs. */
export const runtimeSettings = z.strictObject({
  queue: z.strictObject({
    default: queuePolicy,
    /** By the frontend of a session: what differs from the default. */
    channels: z.record(frontend, partialPolicy),
  }),
  nodes: z.strictObject({ enabled: z.boolean(), location: z.boolean(), push: z.boolean() }),
});
export type RuntimeSettings = z.infer<typeof runtimeSettings>;

/** The most frontends with a policy of their own. */
export const mostChannels = 50;

/** A change: what is left out stays. A channel's policy is replaced as a whole; null removes it. */
export const settingsPatch = z.strictObject({
  queue: z
    .strictObject({
      default: partialPolicy.optional(),
      channels: z.record(frontend, partialPolicy.nullable()).optional(),
    })
    .optional(),
  nodes: runtimeSettings.shape.nodes.partial().optional(),
});
export type SettingsPatch = z.infer<typeof settingsPatch>;

/** `revision`: refuse the change if the settings have another one. */
export const configPatchParams = z.object({
  patch: settingsPatch,
  revision: z.number().int().nonnegative().optional(),
});
