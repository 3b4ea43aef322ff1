/** Whether an error has this code: one of the system's (`ENOENT`, `EEXIST`, …), or of a table of ours. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
