import { errorTable } from '@drawbridge/contracts/errors';
import { createErrors } from '@drawbridge/kit';

/** One maker per code of the contracts' table: `throw errors.notConnected()`. */
export const errors = createErrors(errorTable);

/** What a database says when it cannot write or read just now: full, read-only, busy, broken, or away. */
const databaseTrouble = [
  /^SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|NOMEM|CORRUPT|NOTADB)/,
  // Postgres: connection, conflict with another transaction, resources, lock, operator, system, data.
  /^(?:(?:08|40|53|57|58|XX)[0-9A-Z]{3}|55P03|25006)$/,
];

/** Whether the database cannot do it just now, and the request may be repeated. */
export const isDatabaseTrouble = (error: unknown): error is Error & { code: string } => {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  const { code } = error;
  return databaseTrouble.some((pattern) => pattern.test(code));
};
