import { isOpenState, type Call, type CallEvent, type CallSummary } from '@drawbridge/contracts/calls';
import { hasCode } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import { isOwn, type Caller, type CallerContext } from './caller.ts';
import { machineOf } from './machine.ts';
import { isWithinScopes } from './tool-scope.ts';

/** The interval of progress while the user has not answered. */
const reminderEveryMs = 10_000;
/** The maximum wait for one answer, at every door. */
export const longestWaitMs = 10 * 60 * 1_000;

export const isOpen = ({ state }: Pick<Call, 'state'>): boolean => isOpenState(state);

/** A call of a user, by its id. */
export interface CallId {
  userId: string;
  requestId: string;
}

export interface FollowOptions {
  /** The maximum wait, in milliseconds. */
  waitMs: number;
  /** Aborts the wait, not the call. */
  signal?: AbortSignal | undefined;
  onProgress?: ((event: Extract<CallEvent, { type: 'progress' }>) => void) | undefined;
  /** Called when the user is asked, and every 10 s until they answer. */
  onAsked?(call: CallSummary): void;
  /** `asked`: also until the user is asked. */
  until?: 'ended' | 'asked';
}

type CallReader = Pick<CallerContext, 'gateway'>;

/**
 * A call that the caller made, with a tool still in its scopes. Throws `notFound` for every other call, also
 * of the same user.
 */
export const ownCall = async ({ gateway }: CallReader, caller: Caller, requestId: string): Promise<Call> => {
  const call = await gateway.calls.get(caller.userId, requestId);
  if (!isOwn(caller, call)) throw errors.notFound();
  if (caller.scopes === 'all') return call;
  // A machine that its person has forgotten offers nothing.
  const machine = await machineOf(gateway, { ...caller, machineId: call.machineId }).catch(
    (error: unknown) => {
      if (hasCode(error, 'NOT_FOUND')) return null;
      throw error;
    },
  );
  if (!isWithinScopes(machine?.tools.get(call.tool) ?? { name: call.tool }, caller.scopes))
    throw errors.notFound();
  return call;
};

/**
 * Waits until the call has ended (or its user is asked), the time is over or the signal aborts; returns the
 * call as it then is. Throws `notFound`.
 */
export const followCall = async (
  { gateway, clock }: Pick<CallerContext, 'gateway' | 'clock'>,
  { userId, requestId }: CallId,
  { waitMs, signal, onProgress, onAsked, until = 'ended' }: FollowOptions,
): Promise<Call> => {
  const settled = Promise.withResolvers<void>();
  let last: CallSummary | null = null;
  const remind = () => {
    if (last?.state === 'awaiting-confirmation') onAsked?.(last);
  };
  const isSettled = ({ endedAt, state }: CallSummary) =>
    endedAt !== null || (until === 'asked' && state === 'awaiting-confirmation');
  const update = (call: CallSummary) => {
    last = call;
    if (isSettled(call)) settled.resolve();
    else remind();
  };
  const cancels = [
    gateway.calls.onChanged(userId, (event) => {
      if (event.type === 'progress') {
        if (event.requestId === requestId) onProgress?.(event);
      } else if (event.call.requestId === requestId) update(event.call);
    }),
    clock.after(waitMs, settled.resolve),
    clock.every(reminderEveryMs, remind),
  ];
  const abort = () => settled.resolve();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const call = await gateway.calls.get(userId, requestId);
    if (isSettled(call)) return call;
    if (last === null) update(call);
    if (signal?.aborted !== true && waitMs > 0) await settled.promise;
    return await gateway.calls.get(userId, requestId);
  } finally {
    signal?.removeEventListener('abort', abort);
    for (const cancel of cancels) cancel();
  }
};

/** The same for a call of the caller; throws as `ownCall` does. */
export const followOwnCall = async (
  ctx: Pick<CallerContext, 'gateway' | 'clock'>,
  { caller, requestId }: { caller: Caller; requestId: string },
  options: FollowOptions,
): Promise<Call> => {
  const call = await ownCall(ctx, caller, requestId);
  if (options.waitMs === 0 || !isOpen(call)) return call;
  return followCall(ctx, { userId: caller.userId, requestId }, options);
};

/** As `followCall`, for a caller that may still cancel: when the signal aborts, the call is cancelled. */
export const followOrCancel = async (
  ctx: Pick<CallerContext, 'gateway' | 'clock'>,
  call: CallId,
  options: FollowOptions,
): Promise<Call> => {
  const now = await followCall(ctx, call, options);
  return options.signal?.aborted === true ? ctx.gateway.calls.cancel(call.userId, call.requestId) : now;
};

/** Cancels a call of the caller; one that has ended stays as it is. Throws as `ownCall` does. */
export const cancelOwnCall = async (ctx: CallReader, caller: Caller, requestId: string): Promise<Call> => {
  await ownCall(ctx, caller, requestId);
  return ctx.gateway.calls.cancel(caller.userId, requestId);
};
