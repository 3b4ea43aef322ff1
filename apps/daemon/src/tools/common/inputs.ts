import { z } from 'zod';

/** An optional switch of a tool's input. */
export const flag = (description: string) => z.boolean().optional().describe(description);

/** An optional whole number of a tool's input, from 1 on. */
export const count = (description: string, max = Number.MAX_SAFE_INTEGER) =>
  z.number().int().min(1).max(max).optional().describe(description);
