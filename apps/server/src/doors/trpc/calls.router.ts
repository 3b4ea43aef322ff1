import {
  callHistogramInput,
  callIdInput,
  listCallsInput,
  runInput,
  type Call,
  type CallSummary,
} from '@drawbridge/contracts/calls';
import { recapSeenInput } from '@drawbridge/contracts/machines/recap';
import { recapFilesInput } from '@drawbridge/contracts/machines/recap-files';
import { scopeTool, startCall, startCallNamed, userCaller, type NewCall } from '../../callers/index.ts';
import { router, userProcedure } from './trpc.ts';

const summary = ({ arguments: _arguments, result: _result, ...rest }: Call): CallSummary => rest;

const callerOn = (userId: string, machineId: string | undefined) => ({
  ...userCaller(userId),
  ...(machineId !== undefined && { machineId }),
});

/** Tool calls: make, watch, stop, look back. Specification 6.1. */
export const callsRouter = router({
  /** Resolves when the call ends or first waits for a confirmation. An earlier disconnect cancels it. */
  run: userProcedure.input(runInput).mutation(async ({ ctx, input, signal }) => {
    const call: NewCall = {
      tool: await scopeTool(ctx.gateway, callerOn(ctx.userId, input.machineId), input.name),
      arguments: input.arguments,
      door: 'trpc',
      until: 'asked',
      ...(signal && { signal }),
    };
    return input.requestId === undefined ? startCall(ctx, call) : startCallNamed(ctx, call, input.requestId);
  }),
  get: userProcedure
    .input(callIdInput)
    .query(({ ctx, input }) => ctx.gateway.calls.get(ctx.userId, input.requestId)),
  list: userProcedure
    .input(listCallsInput)
    .query(({ ctx, input }) => ctx.gateway.calls.list(ctx.userId, input)),
  around: userProcedure
    .input(callIdInput)
    .query(({ ctx, input }) => ctx.gateway.calls.around(ctx.userId, input.requestId)),
  /** How many calls of a filter were made when. */
  histogram: userProcedure
    .input(callHistogramInput)
    .query(({ ctx, input }) => ctx.gateway.calls.histogram(ctx.userId, input)),
  /** Notes that the person is here; gives what happened since they were here last. */
  recap: userProcedure.mutation(({ ctx }) => ctx.gateway.recaps.open(ctx.userId)),
  recapSeen: userProcedure
    .input(recapSeenInput)
    .mutation(({ ctx, input }) => ctx.gateway.recaps.seen(ctx.userId, input.to)),
  /** Files that calls changed in the time of a recap. */
  recapFiles: userProcedure
    .input(recapFilesInput)
    .query(({ ctx, input }) => ctx.gateway.recaps.files(ctx.userId, input)),
  /** Commands that the user allowed again and again. */
  repeated: userProcedure.query(({ ctx }) => ctx.gateway.recaps.repeated(ctx.userId)),
  /** Every question about one call, oldest first. */
  questions: userProcedure.input(callIdInput).query(async ({ ctx, input: { requestId } }) => {
    await ctx.gateway.calls.get(ctx.userId, requestId);
    return ctx.gateway.confirmations.ofCall(ctx.userId, requestId);
  }),
  cancel: userProcedure
    .input(callIdInput)
    .mutation(async ({ ctx, input }) => summary(await ctx.gateway.calls.cancel(ctx.userId, input.requestId))),
});
