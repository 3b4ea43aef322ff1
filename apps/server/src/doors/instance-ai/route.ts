import type { AgentModule } from '@drawbridge/agent';
import { fileId, messageId, taskId, threadId, toolCallId } from '@drawbridge/contracts/agent/ids';
import type { ModuleSettings } from '@drawbridge/contracts/settings';
import type { Clock } from '@drawbridge/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { Quota } from '../../http/index.ts';
import type { Identity, Right } from './identity.ts';

export interface RouteContext {
  module: AgentModule;
  gateway: Gateway;
  /** The settings of specification 8. */
  moduleSettings(userId: string): Promise<ModuleSettings>;
  clock: Clock;
  /** Streams that one user has open. */
  streams: Quota;
  onError(error: unknown): void;
}

export interface Exchange extends Identity {
  request: FastifyRequest;
  reply: FastifyReply;
}

type Address = `${'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'} /${string}`;

/** One operation; what it returns is put into the envelope of its mount, a sent reply is not. */
export interface Route {
  /** The method, and the path below the mount. */
  address: Address;
  right: Right;
  /** The largest body, in bytes, where it is not the usual one. */
  bodyLimit?: number;
  handle(ctx: RouteContext, exchange: Exchange): Promise<object>;
}

export const route = (address: Address, right: Right, handle: Route['handle']): Route => ({
  address,
  right,
  handle,
});

/** A part of the address; one that cannot be any id is as unknown as another. */
export const partOf = <Part extends string>(
  { params }: FastifyRequest,
  name: string,
  schema: z.ZodType<Part>,
): Part => {
  const value = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  const read = schema.safeParse(value);
  if (!read.success) throw errors.notFound();
  return read.data;
};

const ids = { threadId, toolCallId, messageId, taskId, fileId };

/** An id in the address. Throws `notFound`. */
export const idOf = (request: FastifyRequest, name: keyof typeof ids): string =>
  partOf(request, name, ids[name]);

/** Query parameters with a number in `limit`. */
export const queryOf = ({ query }: FastifyRequest): object => {
  const read = typeof query === 'object' && query !== null ? query : {};
  return 'limit' in read ? { ...read, limit: Number(read.limit) } : read;
};

export const done = { ok: true } as const;
