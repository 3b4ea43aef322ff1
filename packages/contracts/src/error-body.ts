import { z } from 'zod';

/** An error between processes. It never contains a stack or an input. */
export const errorBody = z.object({ code: z.string(), message: z.string(), fix: z.string().optional() });
export type ErrorBody = z.infer<typeof errorBody>;
