import { z } from 'zod';
import { lanePolicy } from '../agent/lanes.ts';
import { isoTime } from '../ids.ts';
import { rpcSessionId } from './protocol.ts';

/** `lastMessageAt` in milliseconds since 1970. */
export const rpcSession = z.object({
  id: z.string(),
  frontend: z.string(),
  userId: z.string(),
  messageCount: z.number().int(),
  lastMessageAt: z.number(),
  config: z.object({
    modelTier: z.string(),
    queue: lanePolicy,
    elevation: z.object({ active: z.literal(false), untilMs: z.null() }),
  }),
});
export type RpcSession = z.infer<typeof rpcSession>;

/** `seq` counts the messages of a session; `at` in milliseconds since 1970. */
export const rpcMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  at: z.number(),
  seq: z.number().int(),
});
export type RpcMessage = z.infer<typeof rpcMessage>;

const limitOf = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual);

/** Optional only where a connection's own session stands in. */
export const sessionParams = z.object({ sessionId: rpcSessionId });

export const sessionsListParams = z.object({
  includePersisted: z.boolean().default(true),
  frontend: z.string().max(64).optional(),
  limit: limitOf(200, 50),
  offset: z.number().int().min(0).default(0),
});
export const sessionsListResult = z.object({ sessions: z.array(rpcSession), total: z.number().int() });

export const sessionsGetParams = sessionParams.extend({ limit: limitOf(500, 200) });
export const sessionsGetResult = z.object({
  id: z.string(),
  createdAt: isoTime,
  lastActiveAt: isoTime,
  history: z.array(rpcMessage),
  total: z.number().int(),
});

export const sessionsHistoryParams = sessionParams.extend({
  limit: limitOf(500, 200),
  before: z.number().int().min(0).optional(),
});
export const sessionsHistoryResult = z.object({ messages: z.array(rpcMessage), total: z.number().int() });

export const sessionsCreateParams = z.object({ sessionId: rpcSessionId.optional() });
export const sessionsCreateResult = z.object({
  sessionId: z.string(),
  created: z.boolean(),
  attached: z.literal(true),
});

export const sessionsSwitchResult = z.object({ sessionId: z.string(), lastSeq: z.number().int() });

export const sessionsSubscribeParams = sessionParams.extend({ afterSeq: z.number().int().min(0).optional() });
/** `reset`: events behind `afterSeq` are gone; read the history, then go on from `seq`. */
export const sessionsSubscribeResult = z.object({
  sessionId: z.string(),
  seq: z.number().int(),
  reset: z.boolean(),
});
