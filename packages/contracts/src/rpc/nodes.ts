import { z } from 'zod';

export const nodeProtocolVersion = 1;
export const nodeRoles = ['companion'] as const;
/** What a companion may declare and get; any other capability is declared only. */
export const nodeGates = ['ui.canvas', 'notifications', 'status', 'location', 'push'] as const;
export type NodeGate = (typeof nodeGates)[number];

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
export type NodeStatus = NodeStatusParams & { receivedAt: number };

export const nodeLocationParams = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  accuracyMeters: z.number().nonnegative().max(1e8).optional(),
  source: line(64).optional(),
  /** Milliseconds since 1970, by the companion's clock. */
  capturedAt: z.number().int().nonnegative().max(8.64e15).optional(),
});
export type NodeLocationParams = z.infer<typeof nodeLocationParams>;
export type NodeLocation = NodeLocationParams & { receivedAt: number };

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
export interface Presence {
  channel: string;
  senderId: string;
  senderName: string;
  firstSeenAt: number;
  lastSeenAt: number;
  messageCount: number;
  status: 'online' | 'offline';
}
