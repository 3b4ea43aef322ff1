import { errors } from '../../../errors.ts';
import { ownerProcedure, userProcedure } from '../trpc.ts';

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

export const done = { ok: true } as const;
