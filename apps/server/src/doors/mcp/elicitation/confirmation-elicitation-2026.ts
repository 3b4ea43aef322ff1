import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { answerMeta } from '../call-meta.ts';
import type { Page, RunningCall, ToolAnswer } from '../tools/call.ts';
import { answerStarted, runCall } from '../tools/run-call.ts';
import { argumentsDigest, type ElicitationContext } from './sealed-state.ts';

/** What a client carries while its user looks at a question; `once` is consumed by the first return. */
const carried = z.object({ requestId: z.string(), once: z.string() });

const bindingOf = ({ caller, request }: RunningCall) => [
  'question',
  caller.id,
  caller.machineId ?? '',
  request.name,
  argumentsDigest(request.arguments),
];

const elicitDecision = (
  { sealedState }: ElicitationContext,
  running: RunningCall,
  { requestId, page: { message, url } }: { requestId: string; page: Page },
): InputRequiredResult => ({
  ...inputRequired({
    inputRequests: { decision: inputRequired.elicitUrl({ message, url }) },
    requestState: sealedState.encrypt({ requestId, once: nanoid() }, bindingOf(running)),
  }),
  _meta: answerMeta({ requestId }),
});

/**
 * The call that a client returns for. Throws a `ProtocolError` for a state that is not of this call, or was
 * used.
 */
const consumeState = async ({ sealedState, gateway }: ElicitationContext, running: RunningCall) => {
  const { caller, request } = running;
  const decrypted = sealedState.decrypt(request.client?.requestState ?? '', bindingOf(running));
  const state = carried.safeParse(decrypted).data;
  const { userId, via } = caller;
  if (!state || !(await gateway.idempotency.consumeNonce({ userId, via, name: state.once })))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
  return state.requestId;
};

/**
 * Runs a call of a client of revision 2026-07-28. A client that can show pages gets the page of the question
 * and returns for the outcome; its answer decides nothing.
 */
export const runOrResume = async (ctx: ElicitationContext, running: RunningCall): Promise<ToolAnswer> => {
  const { client } = running.request;
  if (client?.requestState !== undefined && !running.clientInput)
    return answerStarted(ctx, running, await consumeState(ctx, running));
  const showsPages = client?.takesInputRequired === true && client.capabilities.includes('elicitation/url');
  if (!showsPages) return runCall(ctx, running);
  return runCall(ctx, {
    ...running,
    elicitDecision: (requestId, page) => elicitDecision(ctx, running, { requestId, page }),
  });
};
