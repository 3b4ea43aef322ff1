import { restLimits } from '@drawbridge/contracts/rest';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** `Prefer`, as the document describes it. */
export const preferHeader = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: 'RFC 7240: `wait=<seconds>` or `respond-async`.',
      examples: ['wait=10', 'respond-async'],
    }),
});

const waitPreference = /^wait="?(?<seconds>\d{1,9})"?$/i;

/**
 * The wait for a call's end in milliseconds (RFC 7240): `wait=<seconds>` up to the maximum, 0 for
 * `respond-async` alone, else `otherwise` seconds. Unknown preferences are ignored.
 */
export const waitMsOf = ({ headers }: Pick<FastifyRequest, 'headers'>, otherwise: number): number => {
  const preferences = String(headers.prefer ?? '')
    .split(/[,;]/)
    .map((preference) => preference.trim());
  const waitSeconds = preferences
    .map((preference) => waitPreference.exec(preference)?.groups?.seconds)
    .find(Boolean);
  const isAsync = preferences.some((preference) => preference.toLowerCase() === 'respond-async');
  const seconds = waitSeconds === undefined ? (isAsync ? 0 : otherwise) : Number(waitSeconds);
  return Math.min(seconds, restLimits.mostWaitSeconds) * 1_000;
};
