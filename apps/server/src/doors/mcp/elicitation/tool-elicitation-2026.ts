import {
  inputMethods,
  inputRequired,
  inputRequiredMeta,
  type ClientInput,
} from '@drawbridge/contracts/client-input';
import { isInputRequiredResult, type CallToolResult } from '@modelcontextprotocol/server';
import { errorAnswer } from '../tools/call-answer.ts';
import type { CallRequest, RunningCall, ToolAnswer } from '../tools/call.ts';
import { runOrResume } from './confirmation-elicitation-2026.ts';
import { argumentsDigest, type ElicitationContext } from './sealed-state.ts';

const bindingOf = ({ caller, request }: RunningCall) => [
  'state of a tool',
  caller.id,
  request.name,
  argumentsDigest(request.arguments),
];

/** The state that the tool gave to this caller for these arguments; null for any other. */
const toolStateOf = ({ sealedState }: ElicitationContext, running: RunningCall): string | null => {
  const state = sealedState.decrypt(running.request.client?.requestState ?? '', bindingOf(running));
  return typeof state === 'string' ? state : null;
};

const inputOf = ({ client }: CallRequest, requestState: string | null): ClientInput => ({
  methods: inputMethods.filter((method) => client?.capabilities.includes(method)),
  ...(client?.capabilities.includes('elicitation/url') && { showsPages: true }),
  ...(client?.responses && { responses: client.responses }),
  ...(requestState !== null && { requestState }),
});

/**
 * The tool's questions in the form of the revision, with its state encrypted; its answer where it asks
 * nothing.
 */
const questionsIn = (
  { sealedState }: ElicitationContext,
  running: RunningCall,
  answer: CallToolResult,
): ToolAnswer => {
  const asked = answer._meta?.[inputRequiredMeta];
  if (asked === undefined) return answer;
  const { inputRequests, requestState } = inputRequired.safeParse(asked).data ?? {};
  const result = {
    resultType: 'input_required',
    inputRequests,
    ...(requestState !== undefined && {
      requestState: sealedState.encrypt(requestState, bindingOf(running)),
    }),
  };
  if (inputRequests !== undefined && isInputRequiredResult(result)) return result;
  return errorAnswer('The tool asked its client for an unsupported kind of input.');
};

/** Runs a tool that may ask its caller's client. */
export const runAskingTool = async (ctx: ElicitationContext, running: RunningCall): Promise<ToolAnswer> => {
  const requestState = toolStateOf(ctx, running);
  // Any other state can only be that of the user's question.
  const isReturn = requestState === null && running.request.client?.requestState !== undefined;
  const clientInput = isReturn ? undefined : inputOf(running.request, requestState);
  const answer = await runOrResume(ctx, { ...running, ...(clientInput && { clientInput }) });
  return isInputRequiredResult(answer) ? answer : questionsIn(ctx, running, answer);
};
