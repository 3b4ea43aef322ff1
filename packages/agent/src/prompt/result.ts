import { resultPreviewLength } from '@drawbridge/contracts/agent/events';
import { cutText } from '@drawbridge/kit';
import type { RunRow, ToolCallRow } from '../rows/rows.ts';
import type { ResultPart } from '../rows/parts.ts';
import { cutResult } from './cut-result.ts';
import { maskSecrets } from './mask-secrets.ts';
import { untrustedResult } from './untrusted.ts';

/** A result in its three forms: for the model, for the thread, and whole where one of them is cut. */
export interface PreparedResult {
  parts: ResultPart[];
  shown: string;
  isShownCut: boolean;
  whole: string | null;
}

interface Source {
  /** Where a text from outside comes from; undefined for our own words. */
  source: string | undefined;
  areSecretsMasked: boolean;
}

/** Unknown to what a tool gives: it cannot write the end of its own block. */
export const markOf = ({ id }: Pick<RunRow, 'id'>) => id.slice(-8);

const textsOf = (parts: readonly ResultPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

export const prepareResult = (
  { call, run }: { call: Pick<ToolCallRow, 'id'>; run: Pick<RunRow, 'id'> },
  parts: readonly ResultPart[],
  { source, areSecretsMasked }: Source,
): PreparedResult => {
  const text = textsOf(parts);
  const others = parts.filter(({ type }) => type !== 'text');
  const read =
    source === undefined
      ? { text: cutResult(text, call.id).text, whole: text }
      : untrustedResult(text, { source, mark: markOf(run), callId: call.id, areSecretsMasked });
  const plain = text === '' && others.length > 0 ? '[picture]' : text;
  const shown = cutText(plain, resultPreviewLength);
  const isShownCut = shown.length < plain.length;
  const isWhole =
    source === undefined ? text.length > resultPreviewLength : read.whole !== null || isShownCut;
  return {
    parts: [
      ...(text === '' && others.length > 0 ? [] : [{ type: 'text' as const, text: read.text }]),
      ...others,
    ],
    shown,
    isShownCut,
    whole: isWhole ? (read.whole ?? (areSecretsMasked ? maskSecrets(text) : text)) : null,
  };
};
