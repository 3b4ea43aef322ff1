import { testRuntimeInput } from '@drawbridge/contracts/machines/runtimes';
import {
  machineInput,
  numbersInput,
  numbersSpanMs,
  optionalMachineInput,
  pauseInput,
  renameMachineInput,
  type MachinesEvent,
} from '@drawbridge/contracts/machines/summary';
import { tracked, type TrackedEnvelope } from '@trpc/server';
import { requireMachine } from '../../../callers/index.ts';
import { errors } from '../../../errors.ts';
import { liveTopics } from '../live.ts';
import { ok, router, userProcedure } from '../trpc.ts';

/** A machine of the user who is signed in, by its id or name; `notFound` for every other. */
const machineProcedure = userProcedure.input(machineInput).use(async ({ ctx, input, next }) => {
  const ref = await requireMachine(ctx.gateway, { userId: ctx.userId, machineId: input.machineId });
  return next({ ctx: { ref } });
});

/** All machines of the user who is signed in. */
export const machinesRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.gateway.machines.summaries(ctx.userId)),
  /** What a machine offers, or offered last while it is away. */
  tools: machineProcedure.query(async ({ ctx }) => [
    ...(await ctx.gateway.machines.view(ctx.ref)).tools.values(),
  ]),
  /** Removed machines, whose calls remain. */
  forgotten: userProcedure.query(({ ctx }) => ctx.gateway.machines.forgotten(ctx.userId)),
  /** Calls by machine since a time of the last 25 hours. */
  numbers: userProcedure.input(numbersInput).query(({ ctx, input }) => {
    const since = Date.parse(input.since);
    if (since < ctx.clock.now() - numbersSpanMs)
      throw errors.badRequest({ message: 'since must be within the last 25 hours' });
    return ctx.gateway.machines.numbers(ctx.userId, since);
  }),
  /**
   * The command that pairs a new machine; with a machine, the one that connects it again, with whatever
   * computer runs the command in its place. The default stays as it is.
   */
  link: userProcedure.input(optionalMachineInput).mutation(async ({ ctx, input }) => {
    const named = input?.machineId;
    const ref = named === undefined ? null : await requireMachine(ctx.gateway, { ...ctx, machineId: named });
    const purpose = { machineId: ref?.machineId ?? null, makesDefault: false };
    return ctx.gateway.pairing.createLink(ctx.userId, purpose);
  }),
  rename: userProcedure.input(renameMachineInput).mutation(async ({ ctx, input }) => {
    const ref = await requireMachine(ctx.gateway, { userId: ctx.userId, machineId: input.machineId });
    return ok(ctx.gateway.machines.rename(ref, input.name));
  }),
  setDefault: machineProcedure.mutation(({ ctx }) => ok(ctx.gateway.machines.setDefault(ctx.ref))),
  /**
   * Refuses new calls until the machine is resumed; `null` for all machines. Open calls go on, and their
   * questions stay: how many there are.
   */
  pause: userProcedure.input(pauseInput).mutation(async ({ ctx, input: { machineId } }) => {
    const { machines } = ctx.gateway;
    if (machineId === null) return machines.pauseAll(ctx.userId);
    return machines.pause(await requireMachine(ctx.gateway, { userId: ctx.userId, machineId }));
  }),
  resume: userProcedure.input(pauseInput).mutation(async ({ ctx, input: { machineId } }) => {
    const { machines } = ctx.gateway;
    if (machineId === null) return ok(machines.resumeAll(ctx.userId));
    return ok(machines.resume(await requireMachine(ctx.gateway, { userId: ctx.userId, machineId })));
  }),
  /** Pauses all machines, then ends all open calls and all chats that work: how many there were. */
  stopEverything: userProcedure.mutation(async ({ ctx: { gateway, agent, userId } }) => {
    const open = await gateway.machines.pauseAll(userId);
    const [chats = 0] = await Promise.all([
      agent?.agent.cancelAll(userId),
      gateway.machines.cancelAll(userId),
    ]);
    return { ...open, chats };
  }),
  /** Its coding agents, as it says now. None of these enables one. */
  runtimes: machineProcedure.query(({ ctx }) => ctx.gateway.runtimes.query(ctx.ref, { type: 'list' })),
  /** Starts one that is enabled there in its sandbox, without a task. */
  testRuntime: userProcedure.input(testRuntimeInput).mutation(async ({ ctx, input }) => {
    const ref = await requireMachine(ctx.gateway, { userId: ctx.userId, machineId: input.machineId });
    return ctx.gateway.runtimes.query(ref, { type: 'test', runtime: input.runtime });
  }),
  disconnect: machineProcedure.mutation(({ ctx }) => ok(ctx.gateway.machines.disconnect(ctx.ref))),
  /** Only while it is away; its calls stay. */
  forget: machineProcedure.mutation(({ ctx }) => ok(ctx.gateway.machines.forget(ctx.ref))),
  /** The machines as they are, then after each change; and daemons that were refused. */
  onChanged: userProcedure.subscription(({ ctx, signal }) =>
    liveTopics(
      { ...ctx, agent: undefined },
      { topics: ['machines'], signal },
      ({ id, topic, event }): TrackedEnvelope<MachinesEvent> | undefined =>
        topic === 'machines' ? tracked(id ?? '', event) : undefined,
    ),
  ),
});
