/** What a store says when it cannot write or read just now: full, read-only, busy, broken, or away. */
const trouble = [
  /^SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|NOMEM|CORRUPT|NOTADB)/,
  // Postgres: connection, conflict with another transaction, resources, lock, operator, system, data.
  /^(08|40|53|55P03|57|58|XX|25006)/,
  /^(ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/,
];

/** True for an error of the store itself, false for a mistake in a query. */
export const isStoreTrouble = (error: unknown): error is Error & { code: string } => {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  const { code } = error;
  return trouble.some((pattern) => pattern.test(code));
};
