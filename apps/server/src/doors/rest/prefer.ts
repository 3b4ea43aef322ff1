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
 * How long a request wants to wait for a call's end, in milliseconds (RFC 7240): `Prefer: wait=<seconds>` up to the most that
 * is granted, `Prefer: respond-async` alone not at all, without either `otherwise` seconds. What it does not know it ignores.
 */
export const waitMsOf = ({ headers }: Pick<FastifyRequest, 'headers'>, otherwise: number): number => {
  const preferences = String(headers.prefer ?? '')
    .split(/[,;]/)
    .map((one) => one.trim());
  const given = preferences.map((one) => waitPreference.exec(one)?.groups?.seconds).find(Boolean);
  const isAsync = preferences.some((one) => one.toLowerCase() === 'respond-async');
  const seconds = given === undefined ? (isAsync ? 0 : otherwise) : Number(given);
  return Math.min(seconds, restLimits.mostWaitSeconds) * 1_000;
};
