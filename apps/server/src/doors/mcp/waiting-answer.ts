import type { CallSummary } from '@drawbridge/contracts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { callIdKey } from './answer.ts';

/** Where an answer says how far its call is, and where the person answers. */
const stateKey = 'drawbridge/state';
const questionKey = 'drawbridge/confirmationUrl';

/** The tool that gives the outcome of a call that was not waited for. */
export const callResultTool = 'call_result';

/** The panel's address of the question that a call waits for; null while it waits for none. */
export type QuestionUrl = (call: Pick<CallSummary, 'confirmationId'>) => string | null;

export const createQuestionUrl =
  (panelUrl: () => string): QuestionUrl =>
  ({ confirmationId }) =>
    confirmationId === null ? null : `${panelUrl()}/confirmations/${encodeURIComponent(confirmationId)}`;

/** A page on which the person decides. */
export interface Page {
  id: string;
  url: string;
  message: string;
}

/** The page of the question that a call waits for; null where it waits for none. */
export const pageOf = (
  call: Pick<CallSummary, 'confirmationId' | 'tool'>,
  questionUrl: QuestionUrl,
): Page | null => {
  const { confirmationId: id, tool } = call;
  const url = questionUrl(call);
  if (id === null || url === null) return null;
  return { id, url, message: `${tool} waits for your decision. Decide on this page, then go on here.` };
};

/** What is said while the person is asked. */
export const waitingSentence = (url: string | null): string =>
  `Waiting for the person's decision${url === null ? '' : `, which they take at ${url}`}`;

const sentence = ({ requestId, tool, state }: CallSummary, url: string | null) =>
  [
    state === 'awaiting-confirmation' ? `${waitingSentence(url)}.` : 'The call goes on.',
    state === 'awaiting-confirmation' ? `${tool} has not run.` : `${tool} may be running.`,
    `Do not call it again: ask for its outcome with ${callResultTool} and the id ${requestId}.`,
  ].join(' ');

/**
 * The answer to a call that goes on: an ordinary result. A tool that promised a structure of its own cannot keep to it yet,
 * and clients take such an answer only when it says so with `isError`.
 */
export const waitingAnswer = (
  call: CallSummary,
  { url, hasOutputSchema }: { url: string | null; hasOutputSchema: boolean },
): CallToolResult => {
  const { requestId, state } = call;
  return {
    content: [{ type: 'text', text: sentence(call, url) }],
    ...(hasOutputSchema
      ? { isError: true }
      : { structuredContent: { callId: requestId, state, ...(url !== null && { confirmationUrl: url }) } }),
    _meta: { [callIdKey]: requestId, [stateKey]: state, ...(url !== null && { [questionKey]: url }) },
  };
};
