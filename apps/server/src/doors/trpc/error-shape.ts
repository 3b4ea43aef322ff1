import { errorRow, errorTable, type ErrorRow } from '@drawbridge/contracts/errors';
import { invalidInput } from '@drawbridge/contracts/input/invalid-input';
import { CodedError } from '@drawbridge/kit';
import type { TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY, type TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { z } from 'zod';
import { errors, isDatabaseTrouble } from '../../errors.ts';

/** What a client sees of an error: the code of the table, its sentence, and what to do about it. */
export interface ErrorShape {
  message: string;
  code: (typeof TRPC_ERROR_CODES_BY_KEY)[TRPC_ERROR_CODE_KEY];
  data: { code: string; httpStatus: number; path: string | null; fix: string | null };
}

/** Errors that tRPC raises, by its names. */
const ownRows: Partial<Record<TRPC_ERROR_CODE_KEY, ErrorRow>> = {
  BAD_REQUEST: errorTable.badRequest,
  PARSE_ERROR: errorTable.badRequest,
  NOT_FOUND: errorTable.notFound,
  METHOD_NOT_SUPPORTED: errorTable.methodNotAllowed,
  UNSUPPORTED_MEDIA_TYPE: errorTable.unsupportedMediaType,
  PAYLOAD_TOO_LARGE: errorTable.tooLarge,
  CLIENT_CLOSED_REQUEST: errorTable.cancelled,
};

const inputSentence = (error: z.ZodError) => `${errorTable.badRequest.message}: ${invalidInput(error)}`;

const coded = (error: TRPCError): { row: ErrorRow; message: string; fix: string | undefined } => {
  const cause = isDatabaseTrouble(error.cause) ? errors.storeUnavailable() : error.cause;
  if (cause instanceof CodedError) {
    const row = errorRow(cause.code) ?? errorTable.internal;
    return { row, message: cause.message, fix: cause.fix };
  }
  const row: ErrorRow = ownRows[error.code] ?? errorTable.internal;
  return { row, message: cause instanceof z.ZodError ? inputSentence(cause) : row.message, fix: row.fix };
};

/** Turns whatever was thrown into what may leave the process: nothing of a stack, a cause or an input. */
export const errorShape = (error: TRPCError, path: string | undefined): ErrorShape => {
  const { row, message, fix } = coded(error);
  return {
    message,
    // The table's names of tRPC codes are pinned by a test.
    code: TRPC_ERROR_CODES_BY_KEY[row.trpc as TRPC_ERROR_CODE_KEY],
    data: { code: row.code, httpStatus: row.http, path: path ?? null, fix: fix ?? null },
  };
};
