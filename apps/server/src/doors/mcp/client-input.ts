import { inputMethods, inputRequired, inputRequiredMeta, type ClientInput } from '@drawbridge/contracts';
import { isInputRequiredResult, type CallToolResult } from '@modelcontextprotocol/server';
import { argumentsDigest } from './arguments-digest.ts';
import { wordsAnswer, type ToolAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { CallRequest, CallWatch, RunCall } from './run-call.ts';
import type { Seal } from './seal.ts';

/** Runs a tool that may ask its caller's client; its own state goes by way of the client, sealed. */
export type RunAsking = (caller: Caller, request: CallRequest, watch: CallWatch) => Promise<ToolAnswer>;

export const createRunAsking = (runCall: RunCall, seal: Seal): RunAsking => {
  const bindingOf = ({ accessId }: Caller, { name, arguments: given }: CallRequest) => [
    'state of a tool',
    accessId,
    name,
    argumentsDigest(given),
  ];

  /** The state that the tool gave to this caller for these arguments; null for another one. */
  const toolState = (caller: Caller, request: CallRequest): string | null => {
    const state = seal.open(request.client?.requestState ?? '', bindingOf(caller, request));
    return typeof state === 'string' ? state : null;
  };

  const inputOf = ({ client }: CallRequest, requestState: string | null): ClientInput => ({
    methods: inputMethods.filter((method) => client?.can.includes(method)),
    ...(client?.can.includes('elicitation/url') && { showsPages: true }),
    ...(client?.responses && { responses: client.responses }),
    ...(requestState !== null && { requestState }),
  });

  const asked = (caller: Caller, request: CallRequest, answer: CallToolResult): ToolAnswer => {
    const said = answer._meta?.[inputRequiredMeta];
    if (said === undefined) return answer;
    const { inputRequests, requestState } = inputRequired.safeParse(said).data ?? {};
    const result = {
      resultType: 'input_required',
      inputRequests,
      ...(requestState !== undefined && {
        requestState: seal.seal(requestState, bindingOf(caller, request)),
      }),
    };
    if (inputRequests !== undefined && isInputRequiredResult(result)) return result;
    return wordsAnswer('The tool asked its client for something that cannot be asked.');
  };

  return async (caller, request, watch) => {
    const requestState = toolState(caller, request);
    // Any other state can only be that of the person's question, which is told apart where it was sealed.
    const isReturn = requestState === null && request.client?.requestState !== undefined;
    const clientInput = isReturn ? undefined : inputOf(request, requestState);
    const answer = await runCall(caller, { ...request, ...(clientInput && { clientInput }) }, watch);
    return isInputRequiredResult(answer) ? answer : asked(caller, request, answer);
  };
};
