import {
  errorTable,
  inputRequiredMeta,
  type Call,
  type CallError,
  type Content,
  type ErrorRow,
} from '@drawbridge/contracts';
import type { CodedError } from '@drawbridge/kit';
import type { CallToolResult, ContentBlock, InputRequiredResult } from '@modelcontextprotocol/server';

/** Where an answer says which call it is of: the id to look for in the panel's activity. */
export const callIdKey = 'drawbridge/callId';
/** Names in `_meta` that the protocol and we keep for ourselves: in a tool's result they would speak for the server. */
const reserved = ['io.modelcontextprotocol/', 'drawbridge/'];

/** A tool's result, or what is asked of the client before there is one. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

const rows: readonly ErrorRow[] = Object.values(errorTable);
const fixOf = (code: string) => rows.find((row) => row.code === code)?.fix;

/** A result that says in words why there is no other. */
export const wordsAnswer = (text: string, meta?: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(meta && { _meta: meta }),
});

const sentence = ({ code, message }: CallError) => {
  const fix = fixOf(code);
  return fix === undefined ? `${message}.` : `${message}. ${fix}`;
};

/** What a call that was refused at once says to the model. */
export const refusalAnswer = ({ code, message }: CodedError): CallToolResult =>
  wordsAnswer(sentence({ code, message }));

const ownMeta = (meta: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries(meta).filter(
      ([name]) => name === inputRequiredMeta || !reserved.some((prefix) => name.startsWith(prefix)),
    ),
  );

/** A block as the protocol has it: a resource holds a text or bytes. */
const blockOf = (block: Content): ContentBlock => {
  if (block.type !== 'resource') return block;
  const { text, blob, ...resource } = block.resource;
  return {
    ...block,
    resource: blob === undefined ? { ...resource, text: text ?? '' } : { ...resource, blob },
  };
};

/** A call that has ended, as `tools/call` answers it: the machine's result whole, or what became of the call in words. */
export const endAnswer = ({ requestId, state, result, error }: Call): CallToolResult => {
  if (result) {
    const { _meta, content, ...whole } = result;
    return { ...whole, content: content.map(blockOf), _meta: { ...ownMeta(_meta), [callIdKey]: requestId } };
  }
  const said = error ?? { code: errorTable.internal.code, message: `The call ended as ${state}` };
  return wordsAnswer(sentence(said), { [callIdKey]: requestId });
};
