import { z } from 'zod';

const coded = z.object({ data: z.object({ code: z.string() }) });

/** The code of the server's refusal; `NO_ANSWER` when nothing came back. */
export const codeOf = (error: unknown): string => coded.safeParse(error).data?.data.code ?? 'NO_ANSWER';
