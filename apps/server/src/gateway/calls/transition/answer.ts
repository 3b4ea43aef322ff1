import { createHash } from 'node:crypto';
import type { CallError, CallRuling, TerminalCallState } from '@drawbridge/contracts/calls';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import type { ResponseBody } from '@drawbridge/contracts/daemon-surface';
import { errorTable } from '@drawbridge/contracts/errors';
import type { ToolResult } from '@drawbridge/contracts/tool-result';

/**
 * What a daemon's answer to a call says. `digest` tells a repeat of it from another one, `bytes` is the
 * length of its JSON, `resultText` that of the result. `ruling`: what decided it without a question.
 */
export type Answer =
  | { kind: 'question'; digest: string; bytes: number; payload: ConfirmationPayload }
  | {
      kind: 'end';
      digest: string;
      bytes: number;
      end: TerminalCallState;
      started: boolean | null;
      ruling: CallRuling | null;
      result: ToolResult | null;
      resultText: string | null;
      error: CallError | null;
    };

/**
 * Only a result with `isError`, and only its whole first text block: a file that holds the text asks nothing.
 */
const question = (result: ToolResult): ConfirmationPayload | undefined => {
  const first = result.content[0];
  if (result.isError !== true || first?.type !== 'text') return undefined;
  return confirmationText.safeDecode(first.text).data;
};

const endOf = (result: ToolResult): TerminalCallState =>
  result._meta?.['drawbridge/outcome'] ?? (result.isError === true ? 'failed' : 'succeeded');

/** The JSON of a body, in parts: a result's text is made once, for its digest and for the store. */
const jsonParts = (body: ResponseBody, resultText: string | null): string[] =>
  resultText === null || body.error !== undefined ? [JSON.stringify(body)] : ['{"result":', resultText, '}'];

const measure = (parts: string[]) => {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const part of parts) {
    hash.update(part);
    bytes += Buffer.byteLength(part);
  }
  return { digest: hash.digest('hex'), bytes };
};

/** A daemon that says rulings names rules, and what refused a call; without a word the modes let it run. */
const rulingOf = (result: ToolResult, started: boolean | null): CallRuling | null => {
  const meta = result._meta;
  if (meta?.['drawbridge/ruling'] !== undefined) return meta['drawbridge/ruling'];
  const allowed = meta?.['drawbridge/allowed'];
  if (allowed !== undefined) return allowed.rules.length > 0 ? 'rule' : 'mode';
  const hasRun = started !== false && meta?.['drawbridge/outcome'] === undefined;
  return hasRun ? 'mode' : null;
};

/** Reads what a daemon posted. `features` are the daemon's. Specification 3 and 6. */
export const readAnswer = (body: ResponseBody, features: readonly string[]): Answer => {
  const { result } = body;
  const resultText = result === undefined ? null : JSON.stringify(result);
  const { digest, bytes } = measure(jsonParts(body, resultText));
  if (body.error !== undefined || result === undefined) {
    const error = { code: errorTable.toolFailed.code, message: body.error ?? errorTable.toolFailed.message };
    return {
      kind: 'end',
      digest,
      bytes,
      end: 'failed',
      started: null,
      ruling: null,
      result: null,
      resultText: null,
      error,
    };
  }
  const payload = question(result);
  if (payload) return { kind: 'question', digest, bytes, payload };
  const started = result._meta?.['drawbridge/started'] ?? (result.isError === true ? null : true);
  const ruling = features.includes('rulings') ? rulingOf(result, started) : null;
  const end = endOf(result);
  return { kind: 'end', digest, bytes, end, started, ruling, result, resultText, error: null };
};
