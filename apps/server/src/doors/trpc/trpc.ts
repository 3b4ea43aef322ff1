import { initTRPC } from '@trpc/server';
import { errors } from '../../errors.ts';
import type { Context } from './context.ts';
import { errorShape } from './error-shape.ts';

const trpc = initTRPC.context<Context>().create({
  errorFormatter: ({ error, shape }) => errorShape(error, shape.data.path),
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
});

export const router = trpc.router;
export const publicProcedure = trpc.procedure;

/** The answer to a change that has no other, once it is made. */
export const ok = (change: Promise<void>): Promise<{ ok: true }> => change.then(() => ({ ok: true }));

/** For a person who has a token and no account yet: every try counts, also the twentieth in one batch. */
export const attemptProcedure = trpc.procedure.use(async ({ ctx, next }) => {
  await ctx.countAttempt();
  return next();
});

/** For a person who is signed in: `ctx.session` is there. */
export const userProcedure = trpc.procedure.use(({ ctx, next }) => {
  if (!ctx.session) throw errors.unauthorized();
  return next({ ctx: { session: ctx.session, userId: ctx.session.user.id } });
});

/** For the owner alone. */
export const ownerProcedure = userProcedure.use(({ ctx, next }) => {
  if (!ctx.session.user.isOwner) throw errors.forbidden();
  return next();
});

/** For a person who is signed in, on a server with the agent: `ctx.agent` is there. Throws `notFound`. */
export const agentProcedure = userProcedure.use(({ ctx, next }) => {
  if (!ctx.agent) throw errors.notFound();
  return next({ ctx: { agent: ctx.agent.agent } });
});

/** The same with the settings of the agent: `ctx.agent` is all of it. */
export const agentModuleProcedure = userProcedure.use(({ ctx, next }) => {
  if (!ctx.agent) throw errors.notFound();
  return next({ ctx: { agent: ctx.agent } });
});

/** For the owner alone: `ctx.agent` is the agent with its settings. Throws `notFound`. */
export const agentOwnerProcedure = ownerProcedure.use(({ ctx, next }) => {
  if (!ctx.agent) throw errors.notFound();
  return next({ ctx: { agent: ctx.agent } });
});
