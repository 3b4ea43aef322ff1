import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Caller } from './caller.ts';

export interface Exchange {
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** One operation: what the document says of it, and what answers it. */
export interface Route {
  method: 'get' | 'post';
  /** Below the base, as OpenAPI writes it: `/calls/{requestId}`. */
  path: `/${string}`;
  operation: ZodOpenApiOperationObject & { operationId: string };
  handle(exchange: Exchange): Promise<unknown>;
}
