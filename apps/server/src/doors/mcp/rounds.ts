import { isInputRequiredResult, type CallToolResult, type InputRequest } from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import { wordsAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { ClientAnswer, ClientRequest } from './client-requests.ts';
import type { ClientAbility } from './client-side.ts';
import type { CallRequest, CallWatch } from './run-call.ts';
import type { Toolbox } from './toolbox.ts';

/** How often one call may ask its client; another tool's mistake must not keep a client busy for ever. */
const maxRounds = 8;

/** Asks a client that keeps a stream open for its call; null where it has left. */
export type AskClient = (request: ClientRequest) => Promise<ClientAnswer | null>;

const isPage = ({ params }: InputRequest) =>
  params !== undefined && 'mode' in params && params.mode === 'url';

const abilityFor = (wanted: InputRequest): ClientAbility =>
  isPage(wanted) ? 'elicitation/url' : wanted.method;

/** As this revision has it: a page has an id, by which a server may say that it is of no use any more. */
const asRequest = (wanted: InputRequest): ClientRequest => ({
  method: wanted.method,
  ...(wanted.params && { params: { ...wanted.params, ...(isPage(wanted) && { elicitationId: nanoid() }) } }),
});

/** What the tool is told; a text, for its caller, where it can be told nothing. A person who is not shown a question has not answered it. */
const answerIn = ({ method }: InputRequest, said: ClientAnswer): Record<string, unknown> | string => {
  if ('result' in said) return said.result;
  return method === 'elicitation/create' ? { action: 'cancel' } : said.error.message;
};

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
    const missing = Object.values(inputRequests)
      .map(abilityFor)
      .find((ability) => !can.includes(ability));
    if (missing !== undefined || !ask)
      return wordsAnswer(`The tool needs ${missing ?? 'a session'}, which the client has not.`);
    if (round === maxRounds) return wordsAnswer('The tool asked too often.');
    const responses: Record<string, unknown> = {};
    for (const [name, inputRequest] of Object.entries(inputRequests)) {
      const said = await ask(asRequest(inputRequest));
      if (said === null) return wordsAnswer('The client has left.');
      const answered = answerIn(inputRequest, said);
      if (typeof answered === 'string') return wordsAnswer(`The client did not answer the tool: ${answered}`);
      responses[name] = answered;
    }
    const client = { can, responses, ...(requestState !== undefined && { requestState }) };
    answer = await toolbox.call(caller, { ...request, client }, watch);
  }
  return answer;
};
