import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

const longestKey = 200;
const header = 'Idempotency-Key';

/** The header by which a script names its call, as the document describes it. */
export const idempotencyHeader = z.object({
  [header]: z
    .string()
    .max(longestKey)
    .regex(/^[\x21-\x7e]+$/, `must have 1 to ${longestKey} printable characters without blanks`)
    .optional()
    .meta({
      description: 'Names the call: the same call with the same key is run once, within 24 h.',
      examples: ['9b2c8f8e-6c0e-4f0a-9a43-0f6d5a1f7f31'],
    }),
});

/** The key of a request; undefined where it has none. Throws a `ZodError` for one that is none. */
export const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined =>
  idempotencyHeader.parse({ [header]: headers[header.toLowerCase()] })[header];
