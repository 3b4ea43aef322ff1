import { isInputRequiredResult, type CallToolResult } from '@modelcontextprotocol/server';
import { wordsAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { ClientAnswer, ClientRequest } from './client-requests.ts';
import type { CallRequest, CallWatch } from './run-call.ts';
import type { Toolbox } from './toolbox.ts';

/** How often one call may ask its client; another tool's mistake must not keep a client busy for ever. */
const maxRounds = 8;

/** Asks a client that keeps a stream open for its call; null where it has left. */
export type AskClient = (request: ClientRequest) => Promise<ClientAnswer | null>;

/**
 * Runs a tool for a client of revision 2025-11-25, which is asked while it waits: what the tool wants is sent to the client,
 * and the tool is called again with the answers.
 */
export const callInRounds = async (
  toolbox: Toolbox,
  { caller, request, ask }: { caller: Caller; request: CallRequest; ask: AskClient | null },
  watch: CallWatch,
): Promise<CallToolResult> => {
  const can = request.client?.can ?? [];
  let answer = await toolbox.call(caller, request, watch);
  for (let round = 0; isInputRequiredResult(answer); round++) {
    const { inputRequests = {}, requestState } = answer;
    const missing = Object.values(inputRequests).find(({ method }) => !can.includes(method));
    if (missing || !ask)
      return wordsAnswer(`The tool needs ${missing?.method ?? 'a session'}, which the client has not.`);
    if (round === maxRounds) return wordsAnswer('The tool asked too often.');
    const responses: Record<string, unknown> = {};
    for (const [name, { method, params }] of Object.entries(inputRequests)) {
      const said = await ask({ method, ...(params && { params: { ...params } }) });
      if (said === null) return wordsAnswer('The client has left.');
      if ('error' in said) return wordsAnswer(`The client did not answer the tool: ${said.error.message}`);
      responses[name] = said.result;
    }
    const client = { can, responses, ...(requestState !== undefined && { requestState }) };
    answer = await toolbox.call(caller, { ...request, client }, watch);
  }
  return answer;
};
