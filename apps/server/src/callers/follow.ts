import { isOpenState, type Call } from '@drawbridge/contracts/calls';
import { hasCode } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import type { WaitOptions } from '../gateway/index.ts';
import { isOwn, type Caller, type CallerContext } from './caller.ts';
import { machineOf } from './machine.ts';
import { isWithinScopes } from './tool-scope.ts';

/** The maximum wait for one answer, at every door. */
export const longestWaitMs = 10 * 60 * 1_000;

export const isOpen = ({ state }: Pick<Call, 'state'>): boolean => isOpenState(state);

/** A call of a user, by its id. */
export interface CallId {
  userId: string;
  requestId: string;
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

/** Waits for a call of a user. Throws `notFound`. */
export const followCall = async (
  { gateway }: CallReader,
  { userId, requestId }: CallId,
  options: WaitOptions,
): Promise<Call> => (await gateway.calls.follow(userId, requestId)).wait(options);

/** The same for a call of the caller; throws as `ownCall` does. */
export const followOwnCall = async (
  ctx: CallReader,
  { caller, requestId }: { caller: Caller; requestId: string },
  options: WaitOptions,
): Promise<Call> => {
  const call = await ownCall(ctx, caller, requestId);
  if (options.waitMs === 0 || !isOpen(call)) return call;
  return followCall(ctx, { userId: caller.userId, requestId }, options);
};

/** As `followCall`, for a caller that may still cancel: when the signal aborts, the call is cancelled. */
export const followOrCancel = async (ctx: CallReader, call: CallId, options: WaitOptions): Promise<Call> => {
  const now = await followCall(ctx, call, options);
  return options.signal?.aborted === true ? ctx.gateway.calls.cancel(call.userId, call.requestId) : now;
};

/** Cancels a call of the caller; one that has ended stays as it is. Throws as `ownCall` does. */
export const cancelOwnCall = async (ctx: CallReader, caller: Caller, requestId: string): Promise<Call> => {
  await ownCall(ctx, caller, requestId);
  return ctx.gateway.calls.cancel(caller.userId, requestId);
};
