import { gatewayEpochHeader, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import type { FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import type { DaemonCredentials } from '../../gateway/index.ts';

const once = (): never => {
  throw errors.badRequest({ message: 'Send exactly one gateway key' });
};

const headerKeys = (request: FastifyRequest): string[] => {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === gatewayKeyHeader);
};

const queryKeys = (request: FastifyRequest): string[] =>
  new URL(request.url, 'http://local').searchParams.getAll('apiKey');

/**
 * The key in the header or, if `query` allows it, in `?apiKey=`; empty, and so invalid, without one. Throws
 * `badRequest` for more than one key.
 */
export const gatewayKey = (request: FastifyRequest, { query }: { query: boolean }): string => {
  const keys = [...headerKeys(request), ...(query ? queryKeys(request) : [])];
  const [key = '', second] = keys;
  if (second !== undefined || key.includes(',')) return once();
  return key;
};

const wholeNumber = /^\d{1,15}$/;

/**
 * The key of a request with the epoch of the daemon's last init, where it names one. Throws `badRequest` for
 * an epoch that is no number.
 */
export const daemonCredentials = (request: FastifyRequest, from: { query: boolean }): DaemonCredentials => {
  const key = gatewayKey(request, from);
  const epoch = request.headers[gatewayEpochHeader];
  if (epoch === undefined) return key;
  if (typeof epoch !== 'string' || !wholeNumber.test(epoch))
    throw errors.badRequest({ message: `${gatewayEpochHeader} must be a whole number` });
  return { key, epoch: Number(epoch) };
};
