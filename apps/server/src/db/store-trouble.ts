/** What the store says when it cannot write or read just now: full, read-only, busy, or broken. */
const trouble = /^SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|NOMEM|CORRUPT|NOTADB)/;

/** True for an error of the store itself, false for a mistake in a query. */
export const isStoreTrouble = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && trouble.test(error.code);
