import { z } from 'zod';

export const nodeProtocolVersion = 1;
export const nodeRoles = ['companion'] as const;
/** What a companion may declare and get; any other capability is declared only. */
export const nodeGates = ['ui.canvas', 'notifications', 'status', 'location', 'push'] as const;

/** Limits of nodes, each of one user. */
export const nodeLimits = { known: 100, senders: 200 } as const;

/** No control characters, line breaks or direction marks. */
const visible = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const line = (most: number) => z.string().max(most).regex(visible, 'must be visible characters');

export const nodeRegisterParams = z.object({
  nodeId: line(64).min(1),
  role: line(64),
  protocolVersion: z.number().int(),
  capabilities: z.array(line(64).min(1)).max(64).default([]),
});
export type NodeRegisterParams = z.infer<typeof nodeRegisterParams>;

export const nodeStatusParams = z.object({
  platform: line(64).optional(),
  appVersion: line(64).optional(),
  deviceName: line(128).optional(),
  statusText: line(200).optional(),
  batteryPct: z.number().min(0).max(100).optional(),
  powerSource: line(32).optional(),
});
export type NodeStatusParams = z.infer<typeof nodeStatusParams>;
/** `receivedAt` in milliseconds since 1970. */
export const nodeStatus = nodeStatusParams.extend({ receivedAt: z.number() });
export type NodeStatus = z.infer<typeof nodeStatus>;

export const nodeLocationParams = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  accuracyMeters: z.number().nonnegative().max(1e8).optional(),
  source: line(64).optional(),
  /** Milliseconds since 1970, by the companion's clock. */
  capturedAt: z.number().int().nonnegative().max(8.64e15).optional(),
});
export type NodeLocationParams = z.infer<typeof nodeLocationParams>;
export const nodeLocation = nodeLocationParams.extend({ receivedAt: z.number() });
export type NodeLocation = z.infer<typeof nodeLocation>;

export const nodePushParams = z.object({
  provider: z.enum(['apns', 'fcm']),
  token: z
    .string()
    .min(16)
    .max(4_096)
    .regex(/^[\x21-\x7e]+$/, 'must be printable characters without blanks'),
});
export type NodePushParams = z.infer<typeof nodePushParams>;

export const presenceParams = z.object({
  channel: line(64).optional(),
  status: z.enum(['online', 'offline']).optional(),
  limit: z.number().int().min(1).max(200).default(50),
  /** The owner's: senders of every user. */
  all: z.boolean().default(false),
});
export type PresenceParams = z.infer<typeof presenceParams>;

/** Times in milliseconds since 1970. */
export const presence = z.object({
  channel: z.string(),
  senderId: z.string(),
  senderName: z.string(),
  firstSeenAt: z.number(),
  lastSeenAt: z.number(),
  messageCount: z.number().int(),
  status: z.enum(['online', 'offline']),
});
export type Presence = z.infer<typeof presence>;

const count = z.number().int().nonnegative();
export const presenceList = z.object({
  presence: z.array(presence),
  summary: z.object({ total: count, online: count, offline: count }),
});

const nodeRef = z.object({ id: z.string(), role: z.string() });
const updated = z.object({ updated: z.literal(true), node: nodeRef });

export const nodeCapabilities = z.object({
  node: nodeRef,
  protocol: z.object({ serverVersion: count, clientVersion: count, negotiatedVersion: count }),
  capabilities: z.object({ declared: z.array(z.string()), enabled: z.array(z.string()) }),
});
export const nodeRegistered = nodeCapabilities.extend({ registered: z.literal(true) });
export const nodeStatusSet = updated.extend({ status: nodeStatus });
export const nodeLocationSet = updated.extend({ location: nodeLocation });
export const nodeLocationNow = z.object({ node: nodeRef, location: nodeLocation.nullable() });

const push = z.object({ provider: z.string(), tokenPreview: z.string() });
/** `deliverable`: the server has a key for the service, and may use the token. */
export const nodePushSet = updated.extend({ push: push.extend({ deliverable: z.boolean() }) });

/** A paired machine or a companion; `since` in milliseconds since 1970, null for one that is away. */
export const systemNode = nodeRef.extend({
  connected: z.boolean(),
  since: z.number().nullable(),
  capabilities: z.array(z.string()),
  status: z.record(z.string(), z.unknown()).nullable(),
  location: nodeLocation.optional(),
  push: push.optional(),
});
export type SystemNode = z.infer<typeof systemNode>;
export const systemNodes = z.object({ nodes: z.array(systemNode) });
export const systemLocations = z.object({
  locations: z.array(z.object({ node: nodeRef, location: nodeLocation })),
});
