import { inputMethods, inputRequired, inputRequiredMeta } from '@drawbridge/contracts';
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import { argumentsDigest } from './arguments-digest.ts';
import { wordsAnswer, type ToolAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { CallRequest, CallWatch, RunCall } from './run-call.ts';
import type { Seal } from './seal.ts';

/** Runs a tool that may ask its caller's client; its own state goes by way of the client, sealed. */
export type RunAsking = (caller: Caller, request: CallRequest, watch: CallWatch) => Promise<ToolAnswer>;

const invalidState = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');

export const createRunAsking = (runCall: RunCall, seal: Seal): RunAsking => {
  const bindingOf = ({ accessId }: Caller, { name, arguments: given }: CallRequest) => [
    'state of a tool',
    accessId,
    name,
    argumentsDigest(given),
  ];

  /** The state that the tool gave; throws for one that it did not give to this caller for these arguments. */
  const stateOf = (caller: Caller, request: CallRequest): string | undefined => {
    const carried = request.client?.requestState;
    if (carried === undefined) return undefined;
    const state = seal.open(carried, bindingOf(caller, request));
    if (typeof state !== 'string') throw invalidState();
    return state;
  };

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
    const { client } = request;
    const requestState = stateOf(caller, request);
    const answer = await runCall(
      caller,
      {
        ...request,
        clientInput: {
          methods: inputMethods.filter((method) => client?.can.includes(method)),
          ...(client?.responses && { responses: client.responses }),
          ...(requestState !== undefined && { requestState }),
        },
      },
      watch,
    );
    return isInputRequiredResult(answer) ? answer : asked(caller, request, answer);
  };
};
