import { createHash } from 'node:crypto';
import { callIdPrefixOf, type Call, type CallEvent, type Door } from '@drawbridge/contracts/calls';
import type { ClientInput } from '@drawbridge/contracts/client-input';
import { notKept, notKeptArgument, withoutConfirmation } from '@drawbridge/contracts/tool-call';
import { canonical, hasCode } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import type { CallClaim, CallHandle, ThreadDriver } from '../gateway/index.ts';
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
  /** Of a thread that one of several servers drives. */
  driver?: ThreadDriver;
  onProgress?(event: Extract<CallEvent, { type: 'progress' }>): void;
}

/** `repeat`: the call was made before, under the id `first`. */
export type StartedCall = { kind: 'new'; call: Call } | Extract<CallClaim, { kind: 'repeat' }>;

type NewClaim = Extract<CallClaim, { kind: 'new' }>;

const open = async (
  ctx: CallerContext,
  request: Omit<NewCall, 'until'>,
  claim: NewClaim | undefined,
): Promise<CallHandle> => {
  const { caller, name, machine } = request.tool;
  const { door, signal, clientInput, driver } = request;
  let isOpened = false;
  try {
    return await ctx.gateway.calls.open(
      machine,
      { name, arguments: request.arguments },
      {
        door,
        ...(caller.via && { via: caller.via }),
        ...(caller.machines && { reach: caller.machines }),
        ...(signal && { signal }),
        ...(clientInput && { clientInput }),
        ...(claim && { claim }),
        ...(driver && { driver }),
        onOpened: (requestId) => {
          isOpened = true;
          request.onOpened?.(requestId);
          claim?.settle(true).catch(ctx.onError);
        },
      },
    );
  } finally {
    if (!isOpened) await claim?.settle(false);
  }
};

const start = async (ctx: CallerContext, request: NewCall, claim: NewClaim | undefined): Promise<Call> => {
  const { until, waitMs, signal, onProgress } = request;
  const begunAt = ctx.clock.now();
  const handle = await open(ctx, request, claim);
  const left = waitMs === undefined ? undefined : Math.max(0, waitMs - (ctx.clock.now() - begunAt));
  return handle.waitOrCancel({ until, waitMs: left, signal, onProgress });
};

/** Makes a call and waits for it. Throws what `gateway.calls.open` throws. */
export const startCall = (ctx: CallerContext, request: NewCall): Promise<Call> =>
  start(ctx, request, undefined);

/** Makes a call with an id of its caller's own, which no call has. Throws as `startCall`. */
export const openCallWithId = (
  ctx: CallerContext,
  request: Omit<NewCall, 'until'>,
  requestId: string,
): Promise<CallHandle> => open(ctx, request, { kind: 'new', requestId, key: null, settle: async () => {} });

const isSameArguments = (stored: Call['arguments'], given: Call['arguments']): boolean => {
  const kept = notKept.safeParse(stored).data?.[notKeptArgument];
  if (kept === undefined) return canonical(stored) === canonical(given);
  return kept.sha256 === createHash('sha256').update(JSON.stringify(given)).digest('hex');
};

/** The requested call by its id; null if the user has none. Throws `idempotencyKeyReused`. */
const followSame = async (
  { gateway }: CallerContext,
  request: NewCall,
  requestId: string,
): Promise<CallHandle | null> => {
  const { caller, name, machine } = request.tool;
  const call = await gateway.calls.get(caller.userId, requestId).catch((error: unknown) => {
    if (hasCode(error, 'NOT_FOUND')) return null;
    throw error;
  });
  if (call === null) return null;
  const isSame =
    call.door === request.door &&
    call.tool === name &&
    call.machineId === machine.machineId &&
    isSameArguments(call.arguments, withoutConfirmation(request.arguments));
  if (!isSame) throw errors.idempotencyKeyReused({ message: 'This id belongs to another call' });
  return gateway.calls.follow(caller.userId, requestId);
};

/**
 * As `startCall`, under an id that the user has chosen; the same call again follows the first. Throws also
 * `badRequest` for an id that does not begin as the user's, and `idempotencyKeyReused`.
 */
export const startCallNamed = async (
  ctx: CallerContext,
  request: NewCall,
  requestId: string,
): Promise<Call> => {
  const { userId } = request.tool.caller;
  if (!requestId.startsWith(callIdPrefixOf(0, userId).slice(9), 9))
    throw errors.badRequest({ message: 'The requestId does not belong to this account' });
  const open = () => openCallWithId(ctx, request, requestId);
  const handle =
    (await followSame(ctx, request, requestId)) ??
    (await open().catch(async (error: unknown) => {
      // The same request may have come first meanwhile, also on another server.
      const first = await followSame(ctx, request, requestId);
      if (first === null) throw error;
      return first;
    }));
  return handle.waitOrCancel(request);
};

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
