import { z } from 'zod';
import { isoTime, machineId, requestId } from '../ids.ts';

const processId = z.string().min(1).max(64);
const port = z.number().int().min(1).max(65_535);

export const processLimits = {
  maxShown: 64,
  maxCommandLength: 2_000,
  maxShownOutput: 16_384,
  maxTyped: 2_000,
} as const;

/** `machineId`, in these inputs: an id or a name; without it, the default machine. */
export const listProcessesInput = z
  .strictObject({ machineId: machineId.optional(), show: processId.optional() })
  .optional();
export const processIdInput = z.strictObject({ process: processId, machineId: machineId.optional() });
export const processPortInput = processIdInput.extend({ port });

/**
 * A request to a daemon about its background processes. It is not a tool call, so no model can send it.
 * `show`: the process whose last output is returned too. `open`: on the machine's loopback address.
 */
export const processesQuery = z.discriminatedUnion('type', [
  z.object({ type: z.literal('list'), show: processId.optional() }),
  z.object({ type: z.literal('stop'), process: processId }),
  z.object({ type: z.literal('open'), process: processId, port }),
]);
export type ProcessesQuery = z.infer<typeof processesQuery>;

/** Of a command on the machine itself; no server sends it. `type`: a text of the person, in no record. */
export const localProcessesQuery = z.discriminatedUnion('type', [
  ...processesQuery.options,
  z.object({ type: z.literal('type'), process: processId, text: z.string().max(processLimits.maxTyped) }),
]);
export type LocalProcessesQuery = z.infer<typeof localProcessesQuery>;

/** Only for daemons with the feature `processes`. */
export const processesRequest = z.object({
  type: z.literal('processes-request'),
  payload: z.object({ requestId, query: processesQuery }),
});

/** Why a process ended. `exited`: without a stop. `stopped`: by its caller. `user`: by the person. */
export const endCauses = ['exited', 'stopped', 'user', 'idle', 'life', 'denied', 'daemon', 'failed'] as const;
export type EndCause = (typeof endCauses)[number];

/** A process of a machine. `owner`: the name of who started it; empty for the person. */
export const shownProcess = z.object({
  id: processId,
  command: z.string().max(processLimits.maxCommandLength),
  folder: z.string().max(4_096),
  hosts: z.array(z.string().max(300)).max(20),
  /** That it was started with; absent from a daemon that opens none. */
  ports: z.array(port).max(8).optional(),
  owner: z.string().max(500),
  startedAt: isoTime,
  waits: z.enum(['input', 'password']).optional(),
  /** Null while it runs. */
  end: z
    .object({
      cause: z.enum(endCauses).catch('failed'),
      exitCode: z.number().int().nullable(),
      signal: z.string().max(32).optional(),
      at: isoTime,
    })
    .nullable(),
});
export type ShownProcess = z.infer<typeof shownProcess>;

/**
 * Newest first. `output`: of the process that was asked for, the last, without control sequences.
 * `opened`: where its port is until it ends, for a browser on the machine itself.
 */
export const processList = z.object({
  processes: z.array(shownProcess).max(processLimits.maxShown),
  output: z.object({ process: processId, text: z.string().max(processLimits.maxShownOutput) }).optional(),
  opened: z.object({ process: processId, port, url: z.string().max(300) }).optional(),
});
export type ProcessList = z.infer<typeof processList>;

/** `POST processes/:requestId`: those after the request; `unknown`: it has no such process or port. */
export const processesBody = z.union([
  processList,
  z.object({ refused: z.literal('unknown'), message: z.string().max(1_000) }),
]);
export type ProcessesBody = z.infer<typeof processesBody>;
