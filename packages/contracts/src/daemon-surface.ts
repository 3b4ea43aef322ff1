import { z } from 'zod';
import { requestId } from './ids.ts';
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
import { rulesBody } from './rule-list.ts';
import { toolResult } from './tool-result.ts';
import { toolLimits } from './tool-call.ts';

export const daemonInfo = z.object({
  version: z.string().max(64),
  /** See `release`; left out where it was not packed. */
  build: z.string().max(64).optional(),
  protocol: z.number().int().positive(),
  features: z.array(z.string().max(64)).max(32),
  /** Tells two daemons with one key apart: stays across restarts of one, differs for a copy of it on other files. */
  instance: z.string().min(1).max(128).optional(),
  /** What a person types on that machine to reconnect it; one with characters that do not show is left out. */
  reconnect: z
    .string()
    .max(5_000)
    .regex(/^[^\p{C}]+$/u)
    .optional()
    .catch(undefined),
});
export type DaemonInfo = z.infer<typeof daemonInfo>;

/** The mode of each group as a daemon reports it, by the group's name. Its own words: for showing only. */
export const reportedModes = z
  .record(z.string().max(64), mode)
  .refine((all) => Object.keys(all).length <= 32, 'at most 32 groups');
export type ReportedModes = z.infer<typeof reportedModes>;

/** `POST init`. Tools are read one by one, so that a bad one is skipped and named instead of refusing the machine. */
export const initBody = z.object({
  rootPath: z.string().min(1).max(4_096),
  tools: z.array(z.unknown()).max(toolLimits.maxTools),
  hostIdentifier: z.string().max(256).optional(),
  toolCategories: z.array(toolCategory).max(64).optional(),
  modes: reportedModes.optional(),
  daemon: daemonInfo.optional(),
});
export type InitBody = z.infer<typeof initBody>;

/** `POST tools`: the tools that a machine offers from now on, with the limits of `init`. */
export const toolsBody = initBody.pick({ tools: true, toolCategories: true, modes: true });
export type ToolsBody = z.infer<typeof toolsBody>;

/** `POST response/:requestId`: a result, or an error that kept the tool from having one. */
export const responseBody = z
  .object({ result: toolResult.optional(), error: z.string().max(100_000).optional() })
  .refine((body) => body.result !== undefined || body.error !== undefined, 'needs a result or an error');
export type ResponseBody = z.infer<typeof responseBody>;

/** How many results one `POST responses` has at most, and how many bytes. */
export const responsesLimits = { maxResponses: 64, maxBytes: 64 * 1024 } as const;

/**
 * `POST responses`, for a server with that feature: several results, each a `ResponseBody` with its `requestId`. They are read
 * one by one, so that a bad one is refused without the others.
 */
export const responsesBody = z.object({
  responses: z.array(z.unknown()).min(1).max(responsesLimits.maxResponses),
});

/**
 * `POST progress/:requestId`: renews the deadline and reaches whoever watches the call. `outputOffset` is where `output`
 * begins in all that the tool printed (UTF-16 code units), `outputKeptFrom` the oldest place that can be posted again.
 */
export const progressBody = z.object({
  message: z.string().max(2_000).optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
  output: z.string().max(65_536).optional(),
  outputOffset: z.number().int().nonnegative().optional(),
  outputKeptFrom: z.number().int().nonnegative().optional(),
});
export type ProgressBody = z.infer<typeof progressBody>;

export const maxSettledQuestions = 1_000;

/**
 * `POST settled`, for a server with that feature: open questions of this machine that its rules cover now. `by` is the call
 * whose lasting answer made the rule; left out for a rule that was made otherwise. `askId` names the question that is meant.
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
 * `POST disconnect`: ends the pairing, as in the specification (7). With `keepSession` the machine is offline at once and its
 * key stays good; for servers with the feature `keep-session`.
 */
export const disconnectBody = z.looseObject({ keepSession: z.boolean().optional() }).nullish();
export type DisconnectBody = z.infer<typeof disconnectBody>;

/** What a daemon and the server say to each other: one row a route. `events` answers with a stream. */
export const daemonSurface = {
  init: { method: 'POST', path: daemonPaths.init, body: initBody, reply: initReply },
  tools: { method: 'POST', path: daemonPaths.tools, body: toolsBody, reply: toolsReply },
  events: { method: 'GET', path: daemonPaths.events, body: null, reply: null },
  response: { method: 'POST', path: daemonPaths.response, body: responseBody, reply: responseReply },
  responses: { method: 'POST', path: daemonPaths.responses, body: responsesBody, reply: responsesReply },
  progress: { method: 'POST', path: daemonPaths.progress, body: progressBody, reply: progressReply },
  probe: { method: 'POST', path: daemonPaths.probe, body: probeBody, reply: okReply },
  rules: { method: 'POST', path: daemonPaths.rules, body: rulesBody, reply: okReply },
  settled: { method: 'POST', path: daemonPaths.settled, body: settledBody, reply: settledReply },
  disconnect: { method: 'POST', path: daemonPaths.disconnect, body: disconnectBody, reply: okReply },
} as const;
