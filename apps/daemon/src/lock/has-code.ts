/** Whether the system gave this error, by its code: `ENOENT`, `EEXIST`, … */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
