import type { Call, CallEvent, Door } from '@drawbridge/contracts/calls';
import type { ClientInput } from '@drawbridge/contracts/client-input';
import type { CallClaim } from '../gateway/index.ts';
import type { CallerContext } from './caller.ts';
import type { ScopedTool } from './tool-scope.ts';

/** A call request from a door. */
export interface NewCall {
  tool: ScopedTool;
  arguments: Record<string, unknown>;
  door: Door;
  /** Whether the caller waits for the end, or no longer than until the user is asked. */
  until: 'ended' | 'asked';
  /** How long it waits at most, in milliseconds, but until the call is stored. Without it: `until`. */
  waitMs?: number;
  /** Cancels the call while it is waited for. */
  signal?: AbortSignal;
  /** Called with the id of the call when it is stored. */
  onOpened?(requestId: string): void;
  /** What the caller's client can be asked for and has answered. */
  clientInput?: ClientInput;
  onProgress?(event: Extract<CallEvent, { type: 'progress' }>): void;
}

/** `repeat`: the call was made before, under the id `first`. */
export type StartedCall = { kind: 'new'; call: Call } | Extract<CallClaim, { kind: 'repeat' }>;

type NewClaim = Extract<CallClaim, { kind: 'new' }>;

interface Running {
  claim: NewClaim | undefined;
  onOpened(requestId: string): void;
}

const run = async (ctx: CallerContext, request: NewCall, { claim, onOpened }: Running): Promise<Call> => {
  const { caller, name, machine } = request.tool;
  const { door, until, signal, clientInput } = request;
  let isOpened = false;
  try {
    return await ctx.gateway.calls.run(
      machine,
      { name, arguments: request.arguments },
      {
        door,
        until,
        ...(caller.via && { via: caller.via }),
        ...(caller.machines && { reach: caller.machines }),
        ...(signal && { signal }),
        ...(clientInput && { clientInput }),
        ...(claim && { claim }),
        onOpened: (requestId) => {
          isOpened = true;
          onOpened(requestId);
          request.onOpened?.(requestId);
          claim?.settle(true).catch(ctx.onError);
        },
      },
    );
  } finally {
    if (!isOpened) await claim?.settle(false);
  }
};

/** Runs a call for a caller that needs progress, or its state after `waitMs`. */
const runWatched = async (
  ctx: CallerContext,
  request: NewCall,
  claim: NewClaim | undefined,
): Promise<Call> => {
  const { userId } = request.tool.caller;
  const stored = Promise.withResolvers<void>();
  let opened = '';
  const unsubscribe = ctx.gateway.calls.onChanged(userId, (event) => {
    if (event.type === 'call' && event.call.requestId === opened) stored.resolve();
    if (event.type === 'progress' && event.requestId === opened) request.onProgress?.(event);
  });
  const timedOut = Promise.withResolvers<void>();
  const cancelTimer =
    request.waitMs === undefined ? undefined : ctx.clock.after(request.waitMs, timedOut.resolve);
  const ended = run(ctx, request, { claim, onOpened: (requestId) => (opened = requestId) });
  try {
    const waited = Promise.all([stored.promise, timedOut.promise]).then(() => null);
    const call = await Promise.race([ended, waited]);
    if (call !== null) return call;
  } finally {
    unsubscribe();
    cancelTimer?.();
  }
  ended.catch(ctx.onError);
  return ctx.gateway.calls.get(userId, opened);
};

const start = (ctx: CallerContext, request: NewCall, claim: NewClaim | undefined): Promise<Call> => {
  const isWatched = request.onProgress !== undefined || request.waitMs !== undefined;
  return isWatched ? runWatched(ctx, request, claim) : run(ctx, request, { claim, onOpened: () => {} });
};

/** Makes a call. Throws what `gateway.calls.run` throws. */
export const startCall = (ctx: CallerContext, request: NewCall): Promise<Call> =>
  start(ctx, request, undefined);

/** Makes a call with an id of its caller's own, which no call has. Throws as `startCall`. */
export const startCallWithId = (ctx: CallerContext, request: NewCall, requestId: string): Promise<Call> =>
  start(ctx, request, { kind: 'new', requestId, key: null, settle: async () => {} });

/**
 * Starts a call, or returns the one it repeats: by idempotency key, or an equal call with an undelivered
 * answer. Throws as `startCall`, and `idempotencyKeyReused` and `tooManyRequests`.
 */
export const startCallOnce = async (
  ctx: CallerContext,
  request: NewCall,
  key: string | undefined,
): Promise<StartedCall> => {
  const { caller, name, machine } = request.tool;
  if (!caller.via) return { kind: 'new', call: await startCall(ctx, request) };
  const claim = await ctx.gateway.idempotency.claim(
    caller.userId,
    { name, arguments: request.arguments },
    { via: caller.via, machineId: machine.machineId, ...(key !== undefined && { key }) },
  );
  if (claim.kind === 'repeat') return claim;
  return { kind: 'new', call: await start(ctx, request, claim) };
};
