/** Whether an error has this code: of the system (`ENOENT`, `EEXIST`, …), or of an error table. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
