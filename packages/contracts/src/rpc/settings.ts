import { z } from 'zod';
import { channelKinds } from '../outside/channel-platforms.ts';
import { laneOverrides, lanePolicy, queueSettings } from '../agent/lanes.ts';

const frontend = queueSettings.shape.channels.keyType;

/** Settings of the server that change while it runs. */
export const runtimeSettings = z.strictObject({
  queue: z.strictObject({
    default: lanePolicy,
    /** By the frontend of a session: what differs from the default. */
    channels: queueSettings.shape.channels,
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
      default: laneOverrides.optional(),
      channels: z.record(frontend, laneOverrides.nullable()).optional(),
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

/** Allow-listed settings; a key is shown as `***`, one that is not set as null. */
export const configView = z.object({
  models: z.record(z.string(), z.record(z.string(), z.unknown())),
  server: z.record(z.string(), z.unknown()),
  ...runtimeSettings.shape,
  revision: z.number().int(),
});

export const configPatched = z.object({
  success: z.literal(true),
  persisted: z.literal(true),
  revision: z.number().int(),
});

/** `restart`: variables that the server reads at its start alone. */
export const configReloaded = z.object({
  success: z.literal(true),
  changed: z.array(z.string()),
  restart: z.array(z.string()),
});

/** What is paired by a code: a machine, or a sender of a chat platform. */
export const pairingChannels = ['machine', ...channelKinds] as const;

export const pairingGenerateParams = z.object({ channel: z.string().max(64).default('machine') });
/** `command`: of a machine. `link`: of a sender; it opens the platform with the code. */
export const pairingGenerated = z.object({
  code: z.string(),
  expiresAt: z.string(),
  command: z.string().optional(),
  link: z.string().optional(),
});
export const pairingCodes = z.object({
  codes: z.array(
    z.object({ code: z.string(), channel: z.string(), createdAt: z.string(), expiresAt: z.string() }),
  ),
});
