import { z } from 'zod';
import { probeBody } from './daemon-event.ts';
import { toolCategory } from './tool-category.ts';
import { daemonPaths } from './daemon-paths.ts';
import {
  initReply,
  okReply,
  progressReply,
  responseReply,
  responsesReply,
  toolsReply,
} from './daemon-reply.ts';
import { rulesBody } from './rule-list.ts';
import { toolResult } from './tool-result.ts';
import { toolLimits } from './tool-call.ts';

export const daemonInfo = z.object({
  version: z.string().max(64),
  protocol: z.number().int().positive(),
  features: z.array(z.string().max(64)).max(32),
  /** Tells two daemons with one key apart: stays across restarts of one, differs for a copy of it on other files. */
  instance: z.string().min(1).max(128).optional(),
});
export type DaemonInfo = z.infer<typeof daemonInfo>;

/** `POST init`. Tools are read one by one, so that a bad one is skipped and named instead of refusing the machine. */
export const initBody = z.object({
  rootPath: z.string().min(1).max(4_096),
  tools: z.array(z.unknown()).max(toolLimits.maxTools),
  hostIdentifier: z.string().max(256).optional(),
  toolCategories: z.array(toolCategory).max(64).optional(),
  daemon: daemonInfo.optional(),
});
export type InitBody = z.infer<typeof initBody>;

/** `POST tools`: the tools that a machine offers from now on, with the limits of `init`. */
export const toolsBody = initBody.pick({ tools: true, toolCategories: true });
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

export const noBody = z.looseObject({}).optional();

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
  disconnect: { method: 'POST', path: daemonPaths.disconnect, body: noBody, reply: okReply },
} as const;
