import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import type { FastifyRequest } from 'fastify';

/** The cookies of a request, and the proof of its session that goes beside them. */
export const credentialsOf = ({
  headers,
}: FastifyRequest): { cookie: string | undefined; proof: string | undefined } => {
  const proof = headers[sessionProofHeader];
  return { cookie: headers.cookie, proof: typeof proof === 'string' ? proof : undefined };
};

/** RFC 6750: one token, of these characters. */
const bearer = /^Bearer +(?<token>[A-Za-z0-9\-._~+/]{1,4096}=*)$/i;

/** The token of a request, or null. Only the header counts: a token in a URL would be logged. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  bearer.exec(headers.authorization ?? '')?.groups?.token ?? null;
