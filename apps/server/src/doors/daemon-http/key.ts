import { gatewayKeyHeader } from '@drawbridge/contracts';
import type { FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';

const once = (): never => {
  throw errors.badRequest({ message: 'Give the gateway key once' });
};

const headerKeys = (request: FastifyRequest): string[] => {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === gatewayKeyHeader);
};

const queryKeys = (request: FastifyRequest): string[] =>
  new URL(request.url, 'http://local').searchParams.getAll('apiKey');

/**
 * The key that a request carries, in its header or, where `query` allows it, as `?apiKey=`; empty without one, which no
 * key is. Throws `badRequest` for a key that is given twice or joined with another.
 */
export const gatewayKey = (request: FastifyRequest, { query }: { query: boolean }): string => {
  const keys = [...headerKeys(request), ...(query ? queryKeys(request) : [])];
  const [key = '', second] = keys;
  if (second !== undefined || key.includes(',')) return once();
  return key;
};
