import { z } from 'zod';
import { chosenCallId, machineName, requestId } from './ids.ts';
import { probeBody } from './daemon-event.ts';
import { mode } from './groups.ts';
import { toolCategory } from './tool-category.ts';
import { daemonPaths } from './daemon-paths.ts';
import {
  initReply,
  okReply,
  progressReply,
  responseReply,
  responsesReply,
  settledReply,
  toolsReply,
} from './daemon-reply.ts';
import { processesBody } from './machines/processes.ts';
import { rulesBody } from './rule-list.ts';
import { maxForms, maxOpenActions, runtimeList, turnProgress } from './machines/runtimes.ts';
import { toolResult } from './tool-result.ts';
import { jsonObject, toolLimits } from './tool-call.ts';

export const daemonInfo = z.object({
  version: z.string().max(64),
  /** See `release`; absent if it was not packed. */
  build: z.string().max(64).optional(),
  protocol: z.number().int().positive(),
  features: z.array(z.string().max(64)).max(32),
  /** Identifies the daemon's files: the same after a restart, another one for a copy. */
  instance: z.string().min(1).max(128).optional(),
  /** The command that reconnects the machine; dropped if it has invisible characters. */
  reconnect: z
    .string()
    .max(5_000)
    .regex(/^[^\p{C}]+$/u)
    .optional()
    .catch(undefined),
});
export type DaemonInfo = z.infer<typeof daemonInfo>;

/** The mode of each group as reported by the daemon, for display only. */
export const reportedModes = z
  .record(z.string().max(64), mode)
  .refine((all) => Object.keys(all).length <= 32, 'at most 32 groups');
export type ReportedModes = z.infer<typeof reportedModes>;

/**
 * `POST init`. Tools are parsed one by one, so that an invalid one is skipped with a warning. `name`: what
 * its user calls the machine; it counts for a pairing only. `check`: only whether the key is valid; nothing
 * is stored, and a pairing token stays valid. `after`: the newest epoch that the daemon knows; with a session
 * key the `init` counts only while there is no newer one, so that one which arrives late changes nothing.
 */
export const initBody = z.object({
  rootPath: z.string().min(1).max(4_096),
  tools: z.array(z.unknown()).max(toolLimits.maxTools),
  hostIdentifier: z.string().max(256).optional(),
  toolCategories: z.array(toolCategory).max(64).optional(),
  modes: reportedModes.optional(),
  daemon: daemonInfo.optional(),
  name: machineName.optional(),
  check: z.boolean().optional(),
  after: z.number().int().nonnegative().optional(),
});
export type InitBody = z.infer<typeof initBody>;

/**
 * `POST tools`: the machine's new tool list, with the limits of `init`. `revision`: rises with each list that
 * a daemon sends; one that arrives after a newer one changes nothing.
 */
export const toolsBody = initBody
  .pick({ tools: true, toolCategories: true, modes: true })
  .extend({ revision: z.number().int().nonnegative().optional() });
export type ToolsBody = z.infer<typeof toolsBody>;

/** `POST response/:requestId`: a result, or the error that prevented one. */
export const responseBody = z
  .object({ result: toolResult.optional(), error: z.string().max(100_000).optional() })
  .refine((body) => body.result !== undefined || body.error !== undefined, 'needs a result or an error');
export type ResponseBody = z.infer<typeof responseBody>;

/** Limits of one `POST responses`. */
export const responsesLimits = { maxResponses: 64, maxBytes: 64 * 1024 } as const;

/**
 * `POST responses`, for a server with that feature: several `ResponseBody`s with their `requestId`s. They are
 * parsed one by one, so that an invalid one is refused alone.
 */
export const responsesBody = z.object({
  responses: z.array(z.unknown()).min(1).max(responsesLimits.maxResponses),
});

/**
 * `POST progress/:requestId`: renews the deadline. `outputOffset` is the position of `output` in the whole
 * output (UTF-16 code units), `outputKeptFrom` the oldest position that can be posted again. `actions`:
 * requests of a coding agent in this turn, each of which becomes a call of its own; a repeat changes nothing.
 * `turn`: what a coding agent did, for the chat that it answers. `forms`: of actions, not answered yet.
 */
export const progressBody = z.object({
  message: z.string().max(2_000).optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
  output: z.string().max(65_536).optional(),
  outputOffset: z.number().int().nonnegative().optional(),
  outputKeptFrom: z.number().int().nonnegative().optional(),
  actions: z
    .array(z.object({ requestId: chosenCallId, arguments: jsonObject }))
    .max(maxOpenActions)
    .optional(),
  turn: turnProgress.optional(),
  forms: z.array(z.int()).max(maxForms).optional(),
});
export type ProgressBody = z.infer<typeof progressBody>;

export const maxSettledQuestions = 1_000;

/**
 * `POST settled`, for a server with that feature: open questions that the machine's rules now cover. `by` is
 * the call whose answer created the rule; absent for any other rule.
 */
export const settledBody = z.object({
  by: requestId.optional(),
  questions: z
    .array(z.object({ requestId, askId: z.string().min(1).max(64), outcome: z.enum(['allowed', 'denied']) }))
    .min(1)
    .max(maxSettledQuestions),
});
export type SettledBody = z.infer<typeof settledBody>;

/**
 * `POST disconnect`: ends the pairing (specification 7). With `keepSession`, for servers with the feature
 * `keep-session`, the machine is offline at once and keeps its key.
 */
export const disconnectBody = z.looseObject({ keepSession: z.boolean().optional() }).nullish();
export type DisconnectBody = z.infer<typeof disconnectBody>;

/** The routes between daemon and server. `events` answers with a stream. */
export const daemonSurface = {
  init: { method: 'POST', path: daemonPaths.init, body: initBody, reply: initReply },
  tools: { method: 'POST', path: daemonPaths.tools, body: toolsBody, reply: toolsReply },
  events: { method: 'GET', path: daemonPaths.events, body: null, reply: null },
  response: { method: 'POST', path: daemonPaths.response, body: responseBody, reply: responseReply },
  responses: { method: 'POST', path: daemonPaths.responses, body: responsesBody, reply: responsesReply },
  progress: { method: 'POST', path: daemonPaths.progress, body: progressBody, reply: progressReply },
  probe: { method: 'POST', path: daemonPaths.probe, body: probeBody, reply: okReply },
  rules: { method: 'POST', path: daemonPaths.rules, body: rulesBody, reply: okReply },
  processes: { method: 'POST', path: daemonPaths.processes, body: processesBody, reply: okReply },
  runtimes: { method: 'POST', path: daemonPaths.runtimes, body: runtimeList, reply: okReply },
  settled: { method: 'POST', path: daemonPaths.settled, body: settledBody, reply: settledReply },
  disconnect: { method: 'POST', path: daemonPaths.disconnect, body: disconnectBody, reply: okReply },
} as const;
