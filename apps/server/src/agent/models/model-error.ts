import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { ModelError, type ModelErrorKind } from '@drawbridge/agent';
import { cutText } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import { z } from 'zod';
import type { ModelChoice } from './choice.ts';

/** What a provider says is quoted up to this many characters. */
const quoteLength = 200;

const tooLong =
  /context.{0,3}(length|window|size)|maximum context|too many (input )?tokens|(prompt|input|request) is too (long|large)|reduce the length|exceed.{0,60}tokens/i;
const noModel =
  /model.{0,80}(not found|not exist|unknown|not supported|not available|no access)|no such model|invalid model/i;
const noCredit = /insufficient_quota|insufficient (balance|credit)|credit balance|billing/i;
const tooBusy = /overloaded|server_error|api_error|internal|unavailable|capacity/i;

const sentences: Record<Exclude<ModelErrorKind, 'silent' | 'too-large' | 'too-many-calls'>, string> = {
  key: 'The provider does not accept the API key.',
  model: 'The provider does not offer this model to this key.',
  rate: 'The provider allows no more requests for now.',
  overloaded: 'The provider is busy.',
  context: 'The conversation is too long for this model.',
  request: 'The provider refused the request.',
  network: 'The server of the model cannot be reached.',
  cut: 'The answer of the model broke off.',
  aborted: 'The model call was stopped.',
};

/** The longest wait that a provider is believed. */
const longestWaitMs = 10 * 60_000;

const waitOf = (headers: Record<string, string>, now: number): number | undefined => {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  const text = headers['retry-after'] ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  const ms = Number.isNaN(exact) ? seconds : exact;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.round(ms)), longestWaitMs);
};

const kindOfStatus = (status: number, text: string): ModelErrorKind => {
  if (status === 401 || status === 402 || status === 403) return 'key';
  if (status === 429) return noCredit.test(text) ? 'key' : 'rate';
  if (status === 404) return 'model';
  if (status === 408 || status >= 500) return 'overloaded';
  if (tooLong.test(text)) return 'context';
  if (noModel.test(text)) return 'model';
  return noCredit.test(text) ? 'key' : 'request';
};

/** The error that a provider sends in the middle of its stream. */
const streamed = z.looseObject({
  type: z.string().optional(),
  code: z.union([z.string(), z.number()]).nullish(),
  message: z.string().optional(),
});

const kindOfText = (text: string): ModelErrorKind => {
  if (tooLong.test(text)) return 'context';
  if (noCredit.test(text)) return 'key';
  if (/rate.?limit/i.test(text)) return 'rate';
  if (/authentication|permission|api.?key/i.test(text)) return 'key';
  if (/invalid_request/i.test(text)) return 'request';
  return tooBusy.test(text) ? 'overloaded' : 'cut';
};

/** The code of the deepest cause, such as `ECONNREFUSED`. */
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return codeOf(error.cause) ?? own;
};

interface Where {
  choice: ModelChoice;
  now: number;
  /** Whether the answer had begun. */
  isOpen: boolean;
}

/** One line of what a provider said, without keys. */
const quote = (text: string, { key }: ModelChoice): string => {
  const hidden = key === null || key === '' ? text : text.replaceAll(key, '…');
  return cutText(withoutKeys(hidden).replace(/\s+/g, ' ').trim(), quoteLength);
};

const sentenceOf = (kind: ModelErrorKind, detail: string): string => {
  const known = kind in sentences ? sentences[kind as keyof typeof sentences] : 'The model call failed.';
  return detail === '' ? known : `${known.slice(0, -1)} (${detail}).`;
};

const fromStatus = (error: APICallError, status: number, { choice, now }: Where): ModelError => {
  const kind = kindOfStatus(status, `${error.message} ${cutText(error.responseBody ?? '', 10_000)}`);
  const said = kind === 'request' ? quote(error.message, choice) : '';
  const message = sentenceOf(kind, [`status ${status}`, said].filter(Boolean).join(': '));
  return new ModelError(kind, message, waitOf(error.responseHeaders ?? {}, now));
};

/**
 * What a model call failed with. Nothing of the request is kept: errors of the packages hold the whole prompt
 * and may repeat the key.
 */
export const toModelError = (error: unknown, where: Where): ModelError => {
  if (error instanceof ModelError) return error;
  if (APICallError.isInstance(error)) {
    const status = error.statusCode;
    if (status !== undefined && (status < 200 || status > 299)) return fromStatus(error, status, where);
    if (error.cause instanceof ModelError) return error.cause;
  }
  if (InvalidResponseDataError.isInstance(error)) return new ModelError('cut', sentences.cut);
  const said = error instanceof Error ? undefined : streamed.safeParse(error).data;
  if (said !== undefined) {
    const kind = kindOfText([said.type, said.code, said.message].join(' '));
    return new ModelError(kind, sentenceOf(kind, quote(said.message ?? '', where.choice)));
  }
  const kind = where.isOpen ? 'cut' : 'network';
  return new ModelError(kind, sentenceOf(kind, codeOf(error) ?? ''));
};
