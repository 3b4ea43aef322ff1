import type { Call, CallError, CallSummary } from '@drawbridge/contracts/calls';
import { inputRequiredMeta } from '@drawbridge/contracts/client-input';
import { errorRow, errorTable } from '@drawbridge/contracts/errors';
import type { Content } from '@drawbridge/contracts/tool-result';
import { CodedError } from '@drawbridge/kit';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ContentBlock,
} from '@modelcontextprotocol/server';
import type { StartedCall } from '../../../callers/index.ts';
import { answerMeta } from '../call-meta.ts';
import type { Page, ToolsContext } from './call.ts';

/** The tool that gives the outcome of an earlier call. */
export const callResultTool = 'call_result';

/**
 * Names in `_meta` that a machine's result may not use: there they would speak for the protocol or for the
 * server.
 */
const reserved = ['io.modelcontextprotocol/', 'drawbridge/'];

/** An answer in words instead of a result. */
export const errorAnswer = (text: string, meta?: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(meta && { _meta: meta }),
});

const sentence = ({ code, message }: CallError) => {
  const fix = errorRow(code)?.fix;
  return fix === undefined ? `${message}.` : `${message}. ${fix}`;
};

const unknownTool = (name: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);

const isInternal = (error: unknown) =>
  !(error instanceof CodedError) || error.code === errorTable.internal.code;

/** What may leave the process of an error; what was not meant for a client is reported and replaced. */
export const toProtocolError = (
  { onError }: Pick<ToolsContext, 'onError'>,
  error: unknown,
): ProtocolError => {
  if (error instanceof ProtocolError) return error;
  if (isInternal(error)) onError(error);
  const message =
    error instanceof CodedError && !isInternal(error) ? error.message : errorTable.internal.message;
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
};

/**
 * What a call that was refused at once says to the model. Throws a `ProtocolError` where that is not for the
 * model.
 */
export const refusalAnswer = (ctx: ToolsContext, name: string, error: unknown): CallToolResult => {
  if (!(error instanceof CodedError) || isInternal(error)) throw toProtocolError(ctx, error);
  if (error.code === errorTable.unknownTool.code) throw unknownTool(name);
  return errorAnswer(sentence(error));
};

const withoutReserved = (meta: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries(meta).filter(
      ([name]) => name === inputRequiredMeta || !reserved.some((prefix) => name.startsWith(prefix)),
    ),
  );

/** A block as the protocol has it: a resource has a text or bytes. */
const blockOf = (block: Content): ContentBlock => {
  if (block.type !== 'resource') return block;
  const { text, blob, ...resource } = block.resource;
  return {
    ...block,
    resource: blob === undefined ? { ...resource, text: text ?? '' } : { ...resource, blob },
  };
};

/**
 * A call that has ended, as `tools/call` answers it: the machine's result whole, or how the call ended in
 * words.
 */
export const endAnswer = ({ requestId, state, result, error }: Call): CallToolResult => {
  const named = answerMeta({ requestId });
  if (result) {
    const { _meta, content, ...whole } = result;
    return { ...whole, content: content.map(blockOf), _meta: { ...withoutReserved(_meta), ...named } };
  }
  const failure = error ?? { code: errorTable.internal.code, message: `The call ended as ${state}` };
  return errorAnswer(sentence(failure), named);
};

const repeatSentence =
  'An equal call ran a moment ago and its result was not delivered. It was not run again: this is its result.';

/** The answer to a repeat: it says so, in words where the client did not name its call with a key. */
export const repeatAnswer = (
  { content, _meta, ...answer }: CallToolResult,
  { first, by }: Extract<StartedCall, { kind: 'repeat' }>,
): CallToolResult => ({
  ...answer,
  content: by === 'undelivered' ? [{ type: 'text', text: repeatSentence }, ...content] : content,
  _meta: { ..._meta, ...answerMeta({ requestId: first, repeatOf: first }) },
});

type Asking = Pick<CallSummary, 'confirmationId' | 'tool'>;

/** The panel's address of the question that a call waits for; null while it waits for none. */
const confirmationUrlOf = ({ panelUrl }: Pick<ToolsContext, 'panelUrl'>, { confirmationId }: Asking) =>
  confirmationId === null ? null : `${panelUrl()}/confirmations/${encodeURIComponent(confirmationId)}`;

/** The page of the question that a call waits for; null while it waits for none. */
export const pageOf = (ctx: Pick<ToolsContext, 'panelUrl'>, call: Asking): Page | null => {
  const { confirmationId: id, tool } = call;
  const url = confirmationUrlOf(ctx, call);
  if (id === null || url === null) return null;
  return { id, url, message: `${tool} waits for your decision. Decide on this page, then continue here.` };
};

/** What a client gets while the user is asked. */
export const waitingSentence = (ctx: Pick<ToolsContext, 'panelUrl'>, call: Asking): string => {
  const url = confirmationUrlOf(ctx, call);
  return `Waiting for the user's decision${url === null ? '' : ` at ${url}`}`;
};

const stillOpenSentence = (ctx: ToolsContext, call: CallSummary) => {
  const { requestId, tool, state } = call;
  const status =
    state === 'awaiting-confirmation'
      ? `${waitingSentence(ctx, call)}. ${tool} has not run.`
      : `The call is still open. ${tool} may be running.`;
  return `${status} Do not call it again: ask for its outcome with ${callResultTool} and the requestId ${requestId}.`;
};

/**
 * The answer to a call that is still open: an ordinary result. If the tool declares an output schema, clients
 * accept a result without structure only with `isError`.
 */
export const waitingAnswer = (
  ctx: ToolsContext,
  call: CallSummary,
  { hasOutputSchema }: { hasOutputSchema: boolean },
): CallToolResult => {
  const { requestId, state } = call;
  const confirmationUrl = confirmationUrlOf(ctx, call);
  return {
    content: [{ type: 'text', text: stillOpenSentence(ctx, call) }],
    ...(hasOutputSchema
      ? { isError: true }
      : {
          structuredContent: {
            requestId,
            // For clients that know the older name.
            callId: requestId,
            state,
            ...(confirmationUrl !== null && { confirmationUrl }),
          },
        }),
    _meta: answerMeta({ requestId, state, confirmationUrl }),
  };
};
