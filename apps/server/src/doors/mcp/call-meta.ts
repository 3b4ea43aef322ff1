import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { idempotencyKey, longestWaitMs } from '../../callers/index.ts';

/** Where an answer names its call, how far that is, where the user decides, and which call it repeats. */
const requestIdKey = 'drawbridge/requestId';
/** As `requestIdKey`, for clients that know the older name. */
const callIdKey = 'drawbridge/callId';
const stateKey = 'drawbridge/state';
const confirmationUrlKey = 'drawbridge/confirmationUrl';
const repeatKey = 'drawbridge/repeatOf';
/** What a client asks for in the `_meta` of its call. */
const keyName = 'drawbridge/idempotencyKey';
const waitKey = 'drawbridge/waitMs';

interface AnswerMeta {
  requestId: string;
  state?: string;
  confirmationUrl?: string | null;
  repeatOf?: string;
}

/** The `_meta` of an answer. */
export const answerMeta = ({ requestId, state, confirmationUrl, repeatOf }: AnswerMeta) => ({
  [requestIdKey]: requestId,
  [callIdKey]: requestId,
  ...(state !== undefined && { [stateKey]: state }),
  ...(typeof confirmationUrl === 'string' && { [confirmationUrlKey]: confirmationUrl }),
  ...(repeatOf !== undefined && { [repeatKey]: repeatOf }),
});

/** The maximum wait, in milliseconds. */
export const waitMs = z.number().int().min(0).max(longestWaitMs);

const readMeta = <T>(value: unknown, schema: z.ZodType<T>, problem: string): T | undefined => {
  if (value === undefined) return undefined;
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
};

/**
 * The key by which a client names its call; undefined if it does not. Throws a `ProtocolError` for a
 * malformed one.
 */
export const keyIn = (meta: Record<string, unknown>): string | undefined =>
  readMeta(
    meta[keyName],
    idempotencyKey,
    `_meta["${keyName}"] must have 1 to 200 printable characters without blanks`,
  );

/**
 * How long a client wants to wait; undefined if it does not say. Throws a `ProtocolError` for a malformed
 * time.
 */
export const waitMsIn = (meta: Record<string, unknown>): number | undefined =>
  readMeta(meta[waitKey], waitMs, `_meta["${waitKey}"] must be a whole number from 0 to ${longestWaitMs}`);
