import type { Call } from '@drawbridge/contracts/calls';
import { inputRequiredMeta } from '@drawbridge/contracts/client-input';
import { errorTable } from '@drawbridge/contracts/errors';
import { CodedError } from '@drawbridge/kit';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import {
  followCall,
  longestWaitMs,
  ownCall,
  trackDelivery,
  type BearerCaller,
} from '../../../callers/index.ts';
import { waitMs } from '../call-meta.ts';
import { callResultTool, endAnswer, errorAnswer, waitingAnswer, waitingSentence } from './call-answer.ts';
import type { OwnTool, ToolsContext } from './call.ts';

const anyId = z.string().min(1).max(64);
/** `id` is the older name of `requestId`. */
const input = z
  .strictObject({ requestId: anyId.optional(), id: anyId.optional(), waitMs: waitMs.optional() })
  .transform(({ requestId, id, ...rest }, context) => {
    if (requestId !== undefined && id !== undefined && requestId !== id)
      context.addIssue({ code: 'custom', message: 'requestId and id differ' });
    const callId = requestId ?? id;
    if (callId !== undefined) return { requestId: callId, ...rest };
    context.addIssue({ code: 'custom', message: 'requestId is missing' });
    return z.NEVER;
  });

const findOwnCall = async (ctx: ToolsContext, caller: BearerCaller, id: string): Promise<Call | null> => {
  try {
    return await ownCall(ctx, caller, id);
  } catch (error) {
    if (error instanceof CodedError && error.code === errorTable.notFound.code) return null;
    throw error;
  }
};

/** `call_result`: waits again for an earlier call, and gives its outcome whole. */
export const callResult: OwnTool = {
  tool: {
    name: callResultTool,
    title: 'Outcome of a call',
    description:
      'Returns the outcome of an earlier call that was still waiting for the person or still running, by the requestId in its answer. ' +
      'Waits for a limited time; call it again if the call is still open.',
    inputSchema: {
      type: 'object',
      properties: {
        requestId: { type: 'string', description: 'The id of the call.' },
        id: { type: 'string', description: 'The older name of requestId.' },
        waitMs: {
          type: 'integer',
          minimum: 0,
          maximum: longestWaitMs,
          description: 'The maximum wait, in milliseconds.',
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  call: async (ctx, { caller, arguments: args, watch }) => {
    const read = input.safeParse(args);
    if (!read.success)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `${callResultTool} needs the requestId of a call; waitMs is optional`,
      );
    const ownCall = await findOwnCall(ctx, caller, read.data.requestId);
    if (!ownCall) return errorAnswer('There is no call with this id.');
    const id = { userId: caller.userId, requestId: ownCall.requestId };
    const call = await followCall(ctx, id, {
      waitMs: read.data.waitMs ?? ctx.waitMs,
      signal: watch.signal,
      onProgress: watch.onProgress,
      onAsked: (now) => watch.onProgress?.({ message: waitingSentence(ctx, now) }),
    });
    if (call.endedAt === null) return waitingAnswer(ctx, call, { hasOutputSchema: false });
    trackDelivery(ctx, id, { delivered: watch.delivered, isMarked: true });
    const { _meta, ...answer } = endAnswer(call);
    // What a tool asks of its caller's client is answered in a call of that tool, not from here.
    const { [inputRequiredMeta]: _, ...meta } = _meta ?? {};
    return { ...answer, _meta: meta };
  },
};
