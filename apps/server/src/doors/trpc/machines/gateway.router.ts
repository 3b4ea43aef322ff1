import {
  connectedTools,
  disconnectMachine,
  knownMachine,
  machineChoices,
  machineStatus,
} from '../../../callers/index.ts';
import { ok, router, userProcedure } from '../trpc.ts';

/** The default machine of the user who is signed in. Specification 3 and 7. */
export const gatewayRouter = router({
  createLink: userProcedure.mutation(({ ctx }) => ctx.gateway.pairing.createLink(ctx.userId)),
  /** The machine with what it reported last, connected or away. */
  machine: userProcedure.query(({ ctx }) => knownMachine(ctx.gateway, ctx)),
  /** The machines that a chat may use. */
  machines: userProcedure.query(({ ctx }) => machineChoices(ctx.gateway, { userId: ctx.userId })),
  status: userProcedure.query(({ ctx }) => machineStatus(ctx.gateway, ctx)),
  tools: userProcedure.query(({ ctx }) => connectedTools(ctx.gateway, ctx)),
  disconnect: userProcedure.mutation(({ ctx }) => ok(disconnectMachine(ctx.gateway, ctx))),
});
