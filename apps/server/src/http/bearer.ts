import type { FastifyRequest } from 'fastify';

/** RFC 6750: one token, of these characters. */
const bearer = /^Bearer +(?<token>[A-Za-z0-9\-._~+/]{1,4096}=*)$/i;

/** The token of a request, or null. Only the header counts: a token in an address would be logged. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  bearer.exec(headers.authorization ?? '')?.groups?.token ?? null;
