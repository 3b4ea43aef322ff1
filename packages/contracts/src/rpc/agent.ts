import { z } from 'zod';
import { confirmation } from '../confirmation.ts';
import { openAsk } from '../agent/asks.ts';
import { decisions } from '../groups.ts';
import { laneMode } from '../agent/lanes.ts';
import { maxAttachments } from '../agent/threads.ts';
import { rpcLimits, rpcSessionId } from './protocol.ts';

export const rpcAttachment = z.object({
  mimeType: z.string().max(100),
  data: z.string(),
  filename: z.string().min(1).max(255).optional(),
});
export type RpcAttachment = z.infer<typeof rpcAttachment>;

export const agentSendParams = z.object({
  message: z.string().min(1).max(rpcLimits.messageLength),
  sessionId: rpcSessionId.optional(),
  attachments: z.array(rpcAttachment).max(maxAttachments).default([]),
  idempotencyKey: z.string().optional(),
  queueMode: laneMode.optional(),
  /** Whether the answer is read out; else it is where the message has a recording. */
  speech: z.boolean().optional(),
});

/** `into`: the request that carries the run which this message was merged or steered into. */
export const agentSendResult = z.object({
  sessionId: z.string(),
  content: z.string(),
  response: z.string(),
  usage: z.object({ inputTokens: z.number().int(), outputTokens: z.number().int() }),
  requestId: z.string().optional(),
  runId: z.string().optional(),
  into: z.string().optional(),
  merged: z.literal(true).optional(),
  steered: z.literal(true).optional(),
  replayed: z.literal(true).optional(),
});
export type AgentSendResult = z.infer<typeof agentSendResult>;

/** `requestId`: the id of an open `agent.send` of the connection, or the one in its result. */
export const agentCancelParams = z.object({
  sessionId: rpcSessionId.optional(),
  requestId: z.union([z.string().max(rpcLimits.idLength), z.number().int()]).optional(),
});
export const agentCancelResult = z.object({
  cancelled: z.boolean(),
  runId: z.string().optional(),
  rejected: z.number().int(),
});

export const toolUseCallbackParams = z.object({ sessionId: rpcSessionId, enabled: z.boolean() });
export const toolUseCallbackResult = z.object({ success: z.literal(true), canAnswer: z.boolean() });

/** `deny` ends the call without asking the machine again. */
export const rpcDecision = z.enum([...decisions, 'deny']);

/** `answer` for a question of the agent; it has the form of the agent's door. */
export const agentConfirmParams = z.object({
  confirmId: z.string().min(1).max(64),
  decision: rpcDecision.optional(),
  reach: z.string().max(64).optional(),
  answer: z.unknown().optional(),
});

export const agentConfirmResult = z.object({
  confirmId: z.string(),
  decision: rpcDecision.nullable(),
  decidedBy: z.string().nullable(),
  alreadyResolved: z.boolean(),
});

export const agentConfirmationsParams = z.object({ sessionId: rpcSessionId.optional() });
const shown = { confirmId: z.string(), url: z.string(), canAnswer: z.boolean() };
/** Questions of machines, then the agent's own. */
export const agentConfirmationsResult = z.object({
  confirmations: z.array(
    z.union([
      confirmation.extend({ kind: z.literal('resource-decision'), ...shown }),
      openAsk
        .omit({ requestId: true, inputType: true, threadId: true })
        .extend({ kind: openAsk.shape.inputType, ...shown }),
    ]),
  ),
});
