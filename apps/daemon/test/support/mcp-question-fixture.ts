import { inputRequired, inputRequiredMeta, type ClientInput } from '@drawbridge/contracts/client-input';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { ToolsOptions } from './tool-fixture.ts';
import { withServer } from './scripted-mcp-server.ts';

/** Tells what it was answered. */
export const askingOnce = `on['tools/call'] = async () => text(JSON.stringify(await form('Who?')));`;

export const methods: ClientInput['methods'] = ['elicitation/create'];
/** An answer to it. */
export const ada = { action: 'accept', content: { name: 'Ada' } };

/** All texts of a result. */
export const texts = ({ content }: ToolResult) =>
  content.map((printText) => (printText.type === 'text' ? printText.text : ''));

/** What a result asks the client of its caller. */
export const askedIn = (result: ToolResult) => {
  const { inputRequests, requestState = '' } = inputRequired.parse(result._meta?.[inputRequiredMeta]);
  return { request: inputRequests['question'], requestState };
};

/** The machine's tools with one server beside them, called as for a client of MCP. */
export const openAsking = async (script: string, given?: ToolsOptions) => {
  const world = await withServer(script, given);
  let count = 0;
  const call = (input?: Partial<ClientInput>, args: Record<string, unknown> = {}, tool = 'own__echo') => {
    count += 1;
    return world.send({
      requestId: `r${count}`,
      toolCall: { name: tool, arguments: { ...args, ...(input && { _input: { methods, ...input } }) } },
    });
  };
  const ask = async () => askedIn(await call({}));
  const answer = (requestState: string, said: unknown) =>
    call({ requestState, ...(said !== undefined && { responses: { question: said } }) });
  return { ...world, call, ask, answer };
};
