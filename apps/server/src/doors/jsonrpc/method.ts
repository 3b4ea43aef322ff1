import type { z } from 'zod';
import type { RpcId } from '../../rpc/index.ts';
import type { Connection } from './socket/connection.ts';
import type { RpcContext } from './context.ts';
import type { Who } from './identity.ts';
import type { RpcEvent } from './protocol/reply.ts';

/** One request, or one notification, of a connection. */
export interface RpcCall {
  connection: Connection;
  /** Of the request; undefined for a notification. */
  id: RpcId | undefined;
  /** A notification gets neither events nor an answer. */
  isNotification: boolean;
  /** Aborts when the socket is gone or its access has ended. */
  signal: AbortSignal;
  /** Sends an event on the id of this request. */
  event(event: RpcEvent): void;
  /** The same after the last frame, for a subscription. */
  stream(event: RpcEvent): void;
  /** Runs when the last frame of this request was handed to the socket. */
  afterReply(run: () => void): void;
}

/** A method as the dispatcher has it. */
export interface Method {
  name: string;
  who: Who;
  /** What it takes, of which unknown parameters are ignored, and what it answers. */
  params: z.ZodType;
  result: z.ZodType;
  /** Parses the parameters and answers. Throws `ZodError` and coded errors. */
  run(ctx: RpcContext, call: RpcCall, params: unknown): Promise<unknown>;
}

interface Schemas<Params, Result> {
  params: z.ZodType<Params>;
  result: z.ZodType<Result>;
}

/** One method of the protocol: `method(name, who, { params, result }).handle(…)`. */
export const method = <Params, Result>(
  name: string,
  who: Who,
  { params: schema, result }: Schemas<Params, Result>,
) => ({
  handle: (answer: (ctx: RpcContext, call: RpcCall & { params: Params }) => Promise<Result>): Method => ({
    name,
    who,
    params: schema,
    result,
    run: async (ctx, call, params) => answer(ctx, { ...call, params: schema.parse(params) }),
  }),
});
