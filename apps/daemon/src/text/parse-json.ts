import type { z } from 'zod';

/** JSON text by a schema; undefined for a text that is missing, is no JSON, or does not fit. */
export const parseJson = <T>(schema: z.ZodType<T>, text: string | undefined): T | undefined => {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};
