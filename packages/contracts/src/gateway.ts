import { z } from 'zod';
import { toolCategory } from './tool-category.ts';
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
