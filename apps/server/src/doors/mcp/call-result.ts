import { errorTable, inputRequiredMeta, type Call, type CallVia } from '@drawbridge/contracts';
import { CodedError } from '@drawbridge/kit';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { viaOf } from '../../auth/index.ts';
import { isWithinScopes, type Gateway } from '../../gateway/index.ts';
import { endAnswer, wordsAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { OwnTool } from './own-tool.ts';
import { noteReading } from './reading.ts';
import type { WaitNeeds } from './run-call.ts';
import { longestWaitMs, waitMs as waitTime } from './wait-budget.ts';
import { callResultTool, waitingAnswer, waitingSentence } from './waiting-answer.ts';

const given = z.strictObject({ id: z.string().min(1).max(64), waitMs: waitTime.optional() });

const isSame = (via: CallVia | undefined, caller: Caller) => {
  const own = viaOf(caller.access);
  return via?.kind === own.kind && via.id === own.id;
};

/** The call of that id, where the caller may know of it; null where it is unknown, another's, or out of the token's reach. */
const ownCall = async (gateway: Gateway, caller: Caller, id: string): Promise<Call | null> => {
  try {
    const call = await gateway.getCall(caller.userId, id);
    const machine = await gateway.machine(caller.userId, call.machineId);
    const tool = machine?.tools.get(call.tool) ?? { name: call.tool };
    return isSame(call.via, caller) && isWithinScopes(tool, caller.scopes) ? call : null;
  } catch (error) {
    if (error instanceof CodedError && error.code === errorTable.notFound.code) return null;
    throw error;
  }
};

/** `call_result`: waits again for a call that its client was not kept waiting for, and gives its outcome whole. */
export const createCallResult = (needs: WaitNeeds): OwnTool => ({
  tool: {
    name: callResultTool,
    title: 'Outcome of a call',
    description:
      'Gives the outcome of an earlier call that was still waiting for the person or still running, by the id in its answer. ' +
      'Waits for it for a while; ask again where it is still open.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id of the call.' },
        waitMs: {
          type: 'integer',
          minimum: 0,
          maximum: longestWaitMs,
          description: 'How long to wait at most, in milliseconds.',
        },
      },
      required: ['id'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  call: async (caller, from, watch) => {
    const { gateway, followCall, questionUrl, waitMs } = needs;
    const read = given.safeParse(from);
    if (!read.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${callResultTool} takes an id and a waitMs`);
    const found = await ownCall(gateway, caller, read.data.id);
    if (!found) return wordsAnswer('There is no call with this id.');
    const { userId } = caller;
    const { requestId } = found;
    const call = await followCall(
      { userId, requestId },
      {
        waitMs: read.data.waitMs ?? waitMs,
        signal: watch.signal,
        onProgress: watch.onProgress,
        reminder: (now) => waitingSentence(questionUrl(now)),
      },
    );
    if (call.endedAt !== null) {
      noteReading(needs, { userId, requestId }, watch);
      const { _meta, ...answer } = endAnswer(call);
      // What a tool asks of its caller's client is answered in a call of that tool, not from here.
      const { [inputRequiredMeta]: _, ...meta } = _meta ?? {};
      return { ...answer, _meta: meta };
    }
    return waitingAnswer(call, { url: questionUrl(call), hasOutputSchema: false });
  },
});
