import { isInputRequiredResult, type CallToolResult, type InputRequest } from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import type { BearerCaller } from '../../../callers/index.ts';
import { errorAnswer } from '../tools/call-answer.ts';
import type { CallRequest, CallWatch, ClientCapability, ToolAnswer } from '../tools/call.ts';
import { callTool } from './call-tool.ts';
import type { ClientAnswer, ClientRequest } from './client-requests.ts';
import type { ElicitationContext } from './sealed-state.ts';

/** How often one call may ask its client, so that a faulty tool does not keep it busy for ever. */
const maxRounds = 8;

/** Asks a client that keeps a stream open for its call; null if it has left. */
export type AskClient = (request: ClientRequest) => Promise<ClientAnswer | null>;

interface AskedCall {
  caller: BearerCaller;
  request: CallRequest;
  watch: CallWatch;
  /** Null for a client that cannot be asked. */
  ask: AskClient | null;
}

const isPage = ({ params }: InputRequest) =>
  params !== undefined && 'mode' in params && params.mode === 'url';

const capabilityFor = (wanted: InputRequest): ClientCapability =>
  isPage(wanted) ? 'elicitation/url' : wanted.method;

/** As this revision has it: a page has an id, by which a server may say that it is over. */
const asRequest = (wanted: InputRequest): ClientRequest => ({
  method: wanted.method,
  ...(wanted.params && { params: { ...wanted.params, ...(isPage(wanted) && { elicitationId: nanoid() }) } }),
});

/**
 * The result for the tool; a text for its caller where no result came. A question that is not shown counts as
 * cancelled.
 */
const resultIn = ({ method }: InputRequest, answer: ClientAnswer): Record<string, unknown> | string => {
  if ('result' in answer) return answer.result;
  return method === 'elicitation/create' ? { action: 'cancel' } : answer.error.message;
};

/**
 * Completes a call of a client of revision 2025-11-25 whose tool asks: sends the questions to the client and
 * calls the tool again with the answers.
 */
export const elicitOnStream = async (
  ctx: ElicitationContext,
  { caller, request, watch, ask }: AskedCall,
  first: ToolAnswer,
): Promise<CallToolResult> => {
  const capabilities = request.client?.capabilities ?? [];
  let answer = first;
  for (let round = 0; isInputRequiredResult(answer); round++) {
    const { inputRequests = {}, requestState } = answer;
    const missing = Object.values(inputRequests)
      .map(capabilityFor)
      .find((capability) => !capabilities.includes(capability));
    if (missing !== undefined || !ask)
      return errorAnswer(`The tool needs ${missing ?? 'a session'}, which the client does not have.`);
    if (round === maxRounds) return errorAnswer('The tool asked too often.');
    const responses: Record<string, unknown> = {};
    for (const [name, inputRequest] of Object.entries(inputRequests)) {
      const answered = await ask(asRequest(inputRequest));
      if (answered === null) return errorAnswer('The client has left.');
      const result = resultIn(inputRequest, answered);
      if (typeof result === 'string') return errorAnswer(`The client did not answer the tool: ${result}`);
      responses[name] = result;
    }
    const client = { capabilities, responses, ...(requestState !== undefined && { requestState }) };
    answer = await callTool(ctx, caller, { request: { ...request, client }, watch });
  }
  return answer;
};
