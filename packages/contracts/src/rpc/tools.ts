import { z } from 'zod';
import { callState } from '../calls.ts';
import { jsonObject, toolLimits } from '../tool-call.ts';
import { rpcSessionId } from './protocol.ts';

const machineId = z.string().max(64).optional();

export const toolsListParams = z.object({ sessionId: rpcSessionId.optional(), machineId });
export const toolsListResult = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string(),
      inputSchema: jsonObject,
      group: z.string().optional(),
    }),
  ),
  machine: z.object({ state: z.enum(['connected', 'away', 'none']) }),
});

export const toolsExecuteParams = z.object({
  tool: z.string().min(1).max(toolLimits.maxNameLength),
  args: jsonObject.default({}),
  sessionId: rpcSessionId.optional(),
  machineId,
  idempotencyKey: z.string().optional(),
  /** `asked`: also answers at the first question of the machine. */
  until: z.enum(['ended', 'asked']).default('ended'),
});
export const toolsExecuteResult = z.object({
  success: z.boolean(),
  output: z.string(),
  error: z.string().nullable(),
  /** The blocks of the result, as the machine sent them. */
  content: z.array(z.unknown()).optional(),
  callId: z.string(),
  state: callState,
  /** The open question, with its page in the panel. */
  confirmId: z.string().optional(),
  url: z.string().optional(),
  /** An equal call with the same idempotency key ran earlier. */
  replayed: z.boolean().optional(),
});
