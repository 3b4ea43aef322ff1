/** An error with a code of a table, a message for the user, and how to fix it. */
export class CodedError extends Error {
  readonly code: string;
  readonly fix: string | undefined;
  /** When the same may succeed, in seconds from now. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, options: Omit<ErrorDetail, 'message'> = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CodedError';
    this.code = code;
    this.fix = options.fix;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

interface Row {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  readonly retryAfterSeconds?: number;
}

/** Replaces the row's message or fix; `cause` stays inside the process. */
export interface ErrorDetail {
  message?: string;
  fix?: string;
  cause?: unknown;
  retryAfterSeconds?: number;
}

/** One function per row of a table: `errors.notConnected()` returns the error to throw. */
export const createErrors = <Table extends Record<string, Row>>(
  table: Table,
): { [Name in keyof Table]: (detail?: ErrorDetail) => CodedError } => {
  const make =
    (row: Row) =>
    (detail: ErrorDetail = {}) => {
      const fix = detail.fix ?? row.fix;
      const retryAfterSeconds = detail.retryAfterSeconds ?? row.retryAfterSeconds;
      return new CodedError(row.code, detail.message ?? row.message, {
        ...(fix === undefined ? {} : { fix }),
        cause: detail.cause,
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      });
    };
  const makers = Object.entries(table).map(([name, row]) => [name, make(row)] as const);
  // Object.fromEntries forgets the keys; they are the table's own.
  return Object.fromEntries(makers) as { [Name in keyof Table]: (detail?: ErrorDetail) => CodedError };
};
