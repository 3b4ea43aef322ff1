import { z } from 'zod';
import { isoTime } from './ids.ts';

/** A family of tools and whether it is offered, as the published daemons announce it; `reason` says why not, or what to be careful about. */
export const toolCategory = z.object({
  name: z.string().max(64),
  enabled: z.boolean(),
  writeAccess: z.boolean().optional(),
  reason: z.string().max(500).optional(),
});
export type ToolCategory = z.infer<typeof toolCategory>;

/**
 * What a daemon can do beyond the specification. `resume`: a repeated request is answered, not run again.
 * `probe`: it answers the event `probe` with a post. `rules`: it lists its rules, and takes them back, for its own user.
 */
export const daemonFeatures = ['resume', 'cancel', 'progress', 'probe', 'rules'] as const;

export const daemonInfo = z.object({
  version: z.string().max(64),
  protocol: z.number().int().positive(),
  features: z.array(z.string().max(64)).max(32),
  /** Tells two daemons with one key apart: stays across restarts of one, differs for a copy of it on other files. */
  instance: z.string().min(1).max(128).optional(),
});
export type DaemonInfo = z.infer<typeof daemonInfo>;

/** The protocol revision that this code speaks; a number that rises when a daemon must know. */
export const protocolRevision = 1;

export const gatewayStates = ['offline', 'online', 'grace'] as const;
export const gatewayState = z.enum(gatewayStates);
export type GatewayState = z.infer<typeof gatewayState>;

/** `GET gateway/status`, as the specification has it (3). */
export const restStatus = z.object({
  connected: z.boolean(),
  connectedAt: isoTime.nullable(),
  directory: z.string().nullable(),
  hostIdentifier: z.string().nullable(),
  toolCategories: z.array(toolCategory),
});

/** Why the server has ended a machine's session by itself. `flapping`: two daemons kept taking one key from each other. */
export const gatewayProblems = ['flapping'] as const;
export const gatewayProblem = z.enum(gatewayProblems);
export type GatewayProblem = z.infer<typeof gatewayProblem>;

/** The same for the panel: `connected` holds in grace too, `state` tells the two apart; `problem` until the next pairing. */
export const gatewayStatus = restStatus.extend({ state: gatewayState, problem: gatewayProblem.optional() });
export type GatewayStatus = z.infer<typeof gatewayStatus>;

/** Pushed to one user on each change. Specification 7 and 8. */
export const stateChanged = z.object({
  type: z.literal('instanceAiGatewayStateChanged'),
  payload: gatewayStatus,
});
export type StateChanged = z.infer<typeof stateChanged>;

/** `create-link`: the token, the command to paste, and how long the token holds. A live session key has no expiry. */
export const pairingLink = z.object({
  token: z.string(),
  command: z.string(),
  expiresAt: isoTime.nullable(),
  ttlSeconds: z.number().int().nonnegative().nullable(),
});
export type PairingLink = z.infer<typeof pairingLink>;
