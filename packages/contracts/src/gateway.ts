import { z } from 'zod';
import { toolCategory } from './tool-category.ts';
import { reportedModes } from './daemon-surface.ts';
import { isoTime } from './ids.ts';

export const gatewayStates = ['offline', 'online', 'grace'] as const;
export const gatewayState = z.enum(gatewayStates);
export type GatewayState = z.infer<typeof gatewayState>;

/** `GET gateway/status`. Specification 3. */
export const restStatus = z.object({
  connected: z.boolean(),
  connectedAt: isoTime.nullable(),
  directory: z.string().nullable(),
  hostIdentifier: z.string().nullable(),
  toolCategories: z.array(toolCategory),
});

/** Why the server ended a machine's session. `flapping`: two daemons with one key replaced each other. */
export const gatewayProblems = ['flapping'] as const;
export const gatewayProblem = z.enum(gatewayProblems);
export type GatewayProblem = z.infer<typeof gatewayProblem>;

/** The release of the connected daemon and that of the server, where they differ. */
export const gatewayUpdate = z.object({ from: z.string(), to: z.string(), is: z.enum(['newer', 'older']) });

/**
 * The status for the panel: `connected` is true in grace too. `problem` stays until the next pairing.
 * `update`: the release of the connected daemon and the server's, if they differ.
 */
export const gatewayStatus = restStatus.extend({
  state: gatewayState,
  problem: gatewayProblem.optional(),
  update: gatewayUpdate.optional(),
});
export type GatewayStatus = z.infer<typeof gatewayStatus>;

/** The stored data of a machine. `isPaired`: its key is valid, so it can reconnect without a new command. */
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

/** A machine that a user may choose; the default is used where none is named. */
export const machineChoice = z.object({
  id: z.string(),
  name: z.string(),
  isConnected: z.boolean(),
  /** Its user has paused it: calls are refused. */
  isPaused: z.boolean(),
  isDefault: z.boolean(),
  /** Where its tools work; null while it is away. */
  directory: z.string().nullable(),
});
export type MachineChoice = z.infer<typeof machineChoice>;

/** Pushed to one user on each change. Specification 7 and 8. */
export const stateChanged = z.object({
  type: z.literal('instanceAiGatewayStateChanged'),
  payload: gatewayStatus,
});
export type StateChanged = z.infer<typeof stateChanged>;

/**
 * `create-link`: the token, the command to paste, and the expiry. A live session key has no expiry; the panel
 * never gets one. `insecure`: the address is plain http to another machine.
 */
export const pairingLink = z.object({
  token: z.string(),
  command: z.string(),
  expiresAt: isoTime.nullable(),
  ttlSeconds: z.number().int().nonnegative().nullable(),
  insecure: z.literal(true).optional(),
});
export type PairingLink = z.infer<typeof pairingLink>;
