import {
  callIdInput,
  listCallsInput,
  runInput,
  type Call,
  type CallEvent,
  type CallSummary,
} from '@drawbridge/contracts';
import { z } from 'zod';
import { live } from './live.ts';
import { router, userProcedure } from './trpc.ts';

const summary = ({ arguments: _arguments, result: _result, ...rest }: Call): CallSummary => rest;

/** Tool calls: make, watch, stop, look back. Specification 6.1. */
export const callsRouter = router({
  /** The call, when it has ended or first waits for a confirmation. Leaving the request before that cancels it. */
  run: userProcedure
    .input(runInput)
    .mutation(({ ctx, input, signal }) =>
      ctx.gateway.call(ctx.userId, input, { door: 'trpc', until: 'asked', ...(signal ? { signal } : {}) }),
    ),
  get: userProcedure
    .input(callIdInput)
    .query(({ ctx, input }) => ctx.gateway.getCall(ctx.userId, input.requestId)),
  list: userProcedure
    .input(listCallsInput)
    .query(({ ctx, input }) => ctx.gateway.listCalls(ctx.userId, input)),
  cancel: userProcedure
    .input(callIdInput)
    .mutation(async ({ ctx, input }) => summary(await ctx.gateway.cancelCall(ctx.userId, input.requestId))),
  /**
   * Each change, after what open calls printed last. A reader that comes back first hears the newest calls again, oldest
   * first, so that it has missed nothing it shows.
   */
  onChanged: userProcedure
    .input(z.strictObject({ lastEventId: z.string().max(64).nullish() }).optional())
    .subscription(({ ctx, input, signal }) =>
      live<CallEvent>({
        accounts: ctx.accounts,
        streams: ctx.streams,
        session: ctx.session,
        signal,
        listen: (hear) => ctx.gateway.onCallChanged(ctx.userId, hear),
        lengthOf: (event) => (event.type === 'progress' ? (event.output?.length ?? 0) : 0),
        first: async () => {
          if (!input?.lastEventId) return ctx.gateway.liveOutputs(ctx.userId);
          const { calls } = await ctx.gateway.listCalls(ctx.userId, { limit: 50 });
          const known = calls.reverse().map((call): CallEvent => ({ type: 'call', call }));
          return [...known, ...ctx.gateway.liveOutputs(ctx.userId)];
        },
      }),
    ),
});
