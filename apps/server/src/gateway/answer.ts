import { hash } from 'node:crypto';
import {
  confirmationText,
  errorTable,
  type CallError,
  type ConfirmationPayload,
  type ResponseBody,
  type TerminalCallState,
  type ToolResult,
} from '@drawbridge/contracts';

/** What a daemon's answer to a call says. `digest` tells a repeat of it from another one, `bytes` is the length of its JSON, `resultText` that of the result. */
export type Answer =
  | { kind: 'question'; digest: string; bytes: number; payload: ConfirmationPayload }
  | {
      kind: 'end';
      digest: string;
      bytes: number;
      end: TerminalCallState;
      started: boolean | null;
      result: ToolResult | null;
      resultText: string | null;
      error: CallError | null;
    };

/** Only a result with `isError`, and only its whole first text block: a file that holds the text asks nothing. */
const question = (result: ToolResult): ConfirmationPayload | undefined => {
  const first = result.content[0];
  if (result.isError !== true || first?.type !== 'text') return undefined;
  return confirmationText.safeDecode(first.text).data;
};

const endOf = (result: ToolResult): TerminalCallState =>
  result._meta?.['drawbridge/outcome'] ?? (result.isError === true ? 'failed' : 'succeeded');

const resultBegins = '{"result":'.length;

/** Reads what a daemon posted. Specification 3 and 6. */
export const readAnswer = (body: ResponseBody): Answer => {
  const { result } = body;
  const text = JSON.stringify(body);
  const digest = hash('sha256', text);
  const bytes = Buffer.byteLength(text);
  if (body.error !== undefined || result === undefined) {
    const error = { code: errorTable.toolFailed.code, message: body.error ?? errorTable.toolFailed.message };
    return {
      kind: 'end',
      digest,
      bytes,
      end: 'failed',
      started: null,
      result: null,
      resultText: null,
      error,
    };
  }
  const payload = question(result);
  if (payload) return { kind: 'question', digest, bytes, payload };
  const started = result._meta?.['drawbridge/started'] ?? (result.isError === true ? null : true);
  // What is left of the body's text: it may be large, and is made once.
  const resultText = text.slice(resultBegins, -1);
  return { kind: 'end', digest, bytes, end: endOf(result), started, result, resultText, error: null };
};
