import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import type { FastifyRequest } from 'fastify';

/** The cookies of a request, and the proof of its session that goes beside them. */
export const credentialsOf = ({
  headers,
}: FastifyRequest): { cookie: string | undefined; proof: string | undefined } => {
  const proof = headers[sessionProofHeader];
  return { cookie: headers.cookie, proof: typeof proof === 'string' ? proof : undefined };
};
