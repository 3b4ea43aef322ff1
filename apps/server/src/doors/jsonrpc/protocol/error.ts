import { errorRow, errorTable, type ErrorBody } from '@drawbridge/contracts/errors';

/** `seed`: frames as in the specification. `strict`: JSON-RPC 2.0, with `jsonrpc` in every frame. */
export type Dialect = 'seed' | 'strict';

/** The JSON-RPC 2.0 number of each code of this protocol; that of `-2` depends on what is not valid. */
const strictOf = new Map<number, number>([
  [-1, -32_700],
  [-2, -32_600],
  [-3, -32_601],
  [-4, -32_001],
  [-5, -32_001],
  [1, -32_004],
  [2, -32_601],
  [3, -32_009],
  [4, -32_099],
  [5, -32_603],
  [10, -32_029],
  [13, -32_002],
  [14, -32_013],
  [15, -32_003],
  [16, -32_002],
  [17, -32_004],
  [18, -32_009],
  [19, -32_004],
  [20, -32_008],
]);

/** What goes with the number of an error. */
export interface ErrorData {
  /** The code of the error table, which every door has. */
  code: string;
  retryable: boolean;
  fix?: string | undefined;
  retryAfterMs?: number | undefined;
  /** Further facts of one error, such as `missingScope`. */
  [fact: string]: unknown;
}

/** An error before it has the number of a dialect. */
export interface Failure {
  rpc: number;
  message: string;
  data: ErrorData;
}

/** What may leave the process of an error: number, sentence and code. `facts` are added to its data. */
export const failureOf = (
  { code, message, fix }: ErrorBody,
  facts: Record<string, unknown> = {},
): Failure => {
  const row = errorRow(code) ?? errorTable.internal;
  const { rpc, retryable } = row;
  return { rpc, message, data: { code: row.code, retryable, ...(fix !== undefined && { fix }), ...facts } };
};

const strictNumber = ({ rpc, data }: Failure): number =>
  data.code === errorTable.badRequest.code && data.about !== 'frame'
    ? errorTable.badRequest.jsonrpc
    : (strictOf.get(rpc) ?? -32_603);

/** The error of a frame, in its dialect. */
export const errorOf = (failure: Failure, dialect: Dialect) => {
  const { about: _about, ...data } = failure.data;
  return dialect === 'strict'
    ? { code: strictNumber(failure), message: failure.message, data: { ...data, seed: failure.rpc } }
    : { code: failure.rpc, message: failure.message, data };
};
