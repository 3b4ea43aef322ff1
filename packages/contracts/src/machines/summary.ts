import { z } from 'zod';
import { reportedModes } from '../daemon-surface.ts';
import { gatewayProblem, gatewayState, gatewayUpdate } from '../gateway.ts';
import { toolCategory } from '../tool-category.ts';
import { isoTime, machineId, machineName } from '../ids.ts';

/** How many machines a token or client may name. */
export const maxNamedMachines = 50;

/** The machines that a token or client may use; without it all of its user, also later ones. */
export const namedMachines = z.array(machineId).min(1).max(maxNamedMachines);

/** One machine of a user, connected or away, as the panel lists it. */
export const machineSummary = z.object({
  id: machineId,
  name: z.string(),
  isDefault: z.boolean(),
  state: gatewayState,
  /** Its key is valid, so it can reconnect without a new command. */
  isPaired: z.boolean(),
  /** Since when its calls are refused; null while it is not paused. */
  pausedAt: isoTime.nullable(),
  hostIdentifier: z.string().nullable(),
  folder: z.string(),
  version: z.string().nullable(),
  update: gatewayUpdate.optional(),
  problem: gatewayProblem.optional(),
  /** Null while it is connected. */
  lastSeenAt: isoTime.nullable(),
  connectedAt: isoTime.nullable(),
  modes: reportedModes.nullable(),
  toolCategories: z.array(toolCategory),
  /** The command that reconnects it. */
  reconnect: z.string().nullable(),
  /** How many tools it offers, or offered last. */
  toolCount: z.number().int().nonnegative(),
  /** How long its last probe took; null before the first answer. */
  latencyMs: z.number().int().nonnegative().nullable(),
});
export type MachineSummary = z.infer<typeof machineSummary>;

/** Why a daemon that tried to pair was refused. */
export const refusedPairing = z.object({
  code: z.enum([
    'PAIRING_TOKEN_USED',
    'PAIRING_TOKEN_EXPIRED',
    'PAIRING_ENDED',
    'TOO_MANY_MACHINES',
    'MACHINE_NAME_TAKEN',
  ]),
  /** What the daemon calls its host; it may be anything. */
  hostIdentifier: z.string().nullable(),
  at: isoTime,
});
export type RefusedPairing = z.infer<typeof refusedPairing>;

/** Live: the machines of the user as they are now, oldest first, or a daemon that was refused. */
export const machinesEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('machines'), machines: z.array(machineSummary) }),
  z.object({ type: z.literal('refused'), refused: refusedPairing }),
]);
export type MachinesEvent = z.infer<typeof machinesEvent>;

/** A machine that is no longer listed and whose calls remain. */
export const forgottenMachine = z.object({ id: machineId, name: z.string() });
export type ForgottenMachine = z.infer<typeof forgottenMachine>;

/** Calls of one machine: all, those that were asked about, those that were denied. */
export const machineNumbers = z.object({
  machineId,
  calls: z.number().int().nonnegative(),
  asked: z.number().int().nonnegative(),
  denied: z.number().int().nonnegative(),
});
export type MachineNumbers = z.infer<typeof machineNumbers>;

/** The longest span of `machines.numbers`, in milliseconds: a day has 25 hours once a year. */
export const numbersSpanMs = 25 * 60 * 60 * 1_000;

export const numbersInput = z.strictObject({ since: isoTime });

/** `machineId`, in these inputs: an id or a name. */
export const machineInput = z.strictObject({ machineId });
export const optionalMachineInput = z.strictObject({ machineId: machineId.optional() }).optional();
export const renameMachineInput = machineInput.extend({ name: machineName });
/** One machine, or all machines of the user. */
export const pauseInput = z.strictObject({ machineId: machineId.nullable() });
