import { z } from 'zod';
import { toolCategory } from './tool-category.ts';
import { reportedModes } from './daemon-surface.ts';
import { isoTime } from './ids.ts';

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

/**
 * The same for the panel: `connected` holds in grace too, `state` tells the two apart; `problem` until the next pairing.
 * `update`: the server gives another daemon than the one that is connected, both by the names of their releases.
 */
export const gatewayStatus = restStatus.extend({
  state: gatewayState,
  problem: gatewayProblem.optional(),
  update: z.object({ from: z.string(), to: z.string(), is: z.enum(['newer', 'older']) }).optional(),
});
export type GatewayStatus = z.infer<typeof gatewayStatus>;

/** A machine as it is known, also while it is away. `isPaired`: its key is good, so it can come back without a new command. */
export const knownMachine = z.object({
  name: z.string().nullable(),
  folder: z.string(),
  version: z.string().nullable(),
  /** Null while it is connected. */
  lastSeenAt: isoTime.nullable(),
  isPaired: z.boolean(),
  modes: reportedModes.nullable(),
  reconnect: z.string().nullable(),
});
export type KnownMachine = z.infer<typeof knownMachine>;

/** Pushed to one user on each change. Specification 7 and 8. */
export const stateChanged = z.object({
  type: z.literal('instanceAiGatewayStateChanged'),
  payload: gatewayStatus,
});
export type StateChanged = z.infer<typeof stateChanged>;

/**
 * `create-link`: the token, the command to paste, and how long the token holds. A live session key has no expiry; the panel
 * never gets one. `insecure`: the address is http to another machine, so the command carries the flag that allows it.
 */
export const pairingLink = z.object({
  token: z.string(),
  command: z.string(),
  expiresAt: isoTime.nullable(),
  ttlSeconds: z.number().int().nonnegative().nullable(),
  insecure: z.literal(true).optional(),
});
export type PairingLink = z.infer<typeof pairingLink>;
