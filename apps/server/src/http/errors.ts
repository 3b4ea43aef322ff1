import { errorRow, errorTable, type ErrorBody } from '@drawbridge/contracts/errors';
import { invalidInput } from '@drawbridge/contracts/input/invalid-input';
import { CodedError } from '@drawbridge/kit';
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errors, isDatabaseTrouble } from '../errors.ts';

const ofStatus: Record<number, () => CodedError> = {
  404: errors.notFound,
  405: errors.methodNotAllowed,
  413: errors.tooLarge,
  415: errors.unsupportedMediaType,
  429: errors.tooManyRequests,
  503: errors.shuttingDown,
};

/** The error table's row of an error. */
export const toCoded = (error: Error & Partial<Pick<FastifyError, 'statusCode' | 'code'>>): CodedError => {
  if (error instanceof CodedError) return error;
  if (isDatabaseTrouble(error)) return errors.storeUnavailable({ cause: error });
  if (error instanceof z.ZodError) {
    return errors.badRequest({ message: `${errorTable.badRequest.message}: ${invalidInput(error)}` });
  }
  const status = error.statusCode ?? 500;
  return (
    ofStatus[status]?.() ??
    (status >= 400 && status < 500 ? errors.badRequest() : errors.internal({ cause: error }))
  );
};

/**
 * One line without a stack for a state that has a code, such as a machine that is offline; with its cause for
 * trouble of the store. Anything else is logged with its stack.
 */
export const logFailure = (
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>,
  thrown: unknown,
): void => {
  const error = isDatabaseTrouble(thrown) ? toCoded(thrown) : thrown;
  if (!(error instanceof CodedError) || error.code === errorTable.internal.code)
    return log.error(
      { err: error },
      error instanceof CodedError ? error.message : 'unexpected internal error',
    );
  const { code, message, cause } = error;
  if (cause === undefined) return log.info({ code }, message);
  log.error({ code, cause: cause instanceof Error ? cause.message : String(cause) }, message);
};

/**
 * What may leave the process of whatever was thrown: its code and sentence, nothing of the inside, which is
 * logged.
 */
export const toErrorReply = (
  error: Error,
  { log }: Pick<FastifyRequest, 'log'>,
): { status: number; body: ErrorBody } => {
  const coded = toCoded(error);
  const status = errorRow(coded.code)?.http ?? 500;
  if (status >= 500) logFailure(log, coded);
  return {
    status,
    body: {
      code: coded.code,
      message: coded.message,
      ...(coded.fix === undefined ? {} : { fix: coded.fix }),
    },
  };
};

/** Says when the same request may succeed, where the error knows. */
export const setRetryAfter = (reply: Pick<FastifyReply, 'header'>, error: Error): void => {
  const { retryAfterSeconds } = toCoded(error);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
};

export const errorHandler = async (
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { status, body } = toErrorReply(error, request);
  setRetryAfter(reply, error);
  return reply.code(status).header('cache-control', 'no-store').send(body);
};
