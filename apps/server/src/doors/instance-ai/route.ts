import type { AgentModule } from '@drawbridge/agent';
import type { Clock } from '@drawbridge/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { errors } from '../../errors.ts';
import type { Quota } from '../../http/index.ts';
import type { Identity, Right } from './identity.ts';

export interface RouteContext {
  module: AgentModule;
  clock: Clock;
  /** Streams that one user has open. */
  streams: Quota;
  onError(error: unknown): void;
}

export interface Exchange extends Identity {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** One operation; what it returns is put into the envelope of its mount, a sent reply is not. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the mount. */
  path: `/${string}`;
  right: Right;
  /** The largest body, in bytes, where it is not the usual one. */
  bodyLimit?: number;
  handle(ctx: RouteContext, exchange: Exchange): Promise<object>;
}

/** A part of the address; one that cannot be any id is as unknown as another. */
export const idOf = <Id extends string>(
  { params }: FastifyRequest,
  name: string,
  schema: z.ZodType<Id>,
): Id => {
  const value = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  const read = schema.safeParse(value);
  if (!read.success) throw errors.notFound();
  return read.data;
};

/** Query parameters with a number in `limit`. */
export const queryOf = ({ query }: FastifyRequest): object => {
  const read = typeof query === 'object' && query !== null ? query : {};
  return 'limit' in read ? { ...read, limit: Number(read.limit) } : read;
};

export const done = { ok: true } as const;
