import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { viaOf } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { callIdKey } from './answer.ts';
import { argumentsDigest } from './arguments-digest.ts';
import type { Caller } from './caller.ts';
import type { CallRequest } from './run-call.ts';
import type { Seal } from './seal.ts';
import type { Page } from './waiting-answer.ts';

/** What a client of revision 2026-07-28 carries while its person looks at a question; good for one return. */
const carried = z.object({ requestId: z.string(), once: z.string() });

/**
 * The person's question by way of a client that can show a page: it is given the address, and comes back for the outcome.
 * What it says when it comes back decides nothing.
 */
export interface QuestionRounds {
  /** Whether the client takes such an answer. */
  isFor(request: CallRequest): boolean;
  ask(
    asked: { caller: Caller; request: CallRequest },
    call: { requestId: string; page: Page },
  ): InputRequiredResult;
  /** The call that the client comes back for. Throws a `ProtocolError` for a state that is not this caller's for this call, or was used. */
  take(asked: { caller: Caller; request: CallRequest }): Promise<string>;
}

export const createQuestionRounds = ({ gateway, seal }: { gateway: Gateway; seal: Seal }): QuestionRounds => {
  const bindingOf = (caller: Caller, { name, arguments: given }: CallRequest) => [
    'question',
    caller.accessId,
    caller.machineId ?? '',
    name,
    argumentsDigest(given),
  ];

  return {
    isFor: ({ client }) => client?.takesQuestions === true && client.can.includes('elicitation/url'),
    ask: ({ caller, request }, { requestId, page: { message, url } }) => ({
      ...inputRequired({
        inputRequests: { decision: inputRequired.elicitUrl({ message, url }) },
        requestState: seal.seal({ requestId, once: nanoid() }, bindingOf(caller, request)),
      }),
      _meta: { [callIdKey]: requestId },
    }),
    take: async ({ caller, request }) => {
      const opened = seal.open(request.client?.requestState ?? '', bindingOf(caller, request));
      const state = carried.safeParse(opened).data;
      const { userId, access } = caller;
      if (!state || !(await gateway.repeats.spend({ userId, via: viaOf(access), name: state.once })))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
      return state.requestId;
    },
  };
};
