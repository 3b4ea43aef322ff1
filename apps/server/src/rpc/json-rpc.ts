import { errorRow, errorTable } from '@drawbridge/contracts/errors';
import { CodedError } from '@drawbridge/kit';
import { readJson, toCoded } from '../http/index.ts';

/** The codes of JSON-RPC and of MCP that are not those of a row of the error table. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  sessionNotFound: -32_001,
} as const;

export type RpcId = string | number;

export const isRpcId = (value: unknown): value is RpcId =>
  typeof value === 'string' || Number.isSafeInteger(value);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const hasOnly = (record: object, names: ReadonlySet<string>): boolean =>
  Object.keys(record).every((name) => names.has(name));

interface RpcError {
  code: number;
  message: string;
  id?: RpcId | null;
  data?: unknown;
}

/** An error as JSON-RPC has it; `id` is null if no request can be named. */
export const rpcError = ({ id = null, code, message, data }: RpcError) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});

/**
 * What may leave the process of an error: the code and sentence of its row, without an id, and the status of
 * HTTP.
 */
export const toRpcError = (error: Error): { status: number; message: string; body: object } => {
  const { code, message, fix } = toCoded(error);
  const row = errorRow(code) ?? errorTable.internal;
  const sentence = fix === undefined ? message : `${message}. ${fix}`;
  return { status: row.http, message, body: rpcError({ code: row.jsonrpc, message: sentence }) };
};

/** Parses a message; undefined if it is not JSON (`parseError`). Throws `tooDeep` beyond 64 levels. */
export const readRpcBody = (body: Uint8Array): unknown => {
  try {
    return readJson(body).value;
  } catch (error) {
    if (error instanceof CodedError && error.code === errorTable.badRequest.code) return undefined;
    throw error;
  }
};
