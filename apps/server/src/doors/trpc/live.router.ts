import type { CallEvent } from '@drawbridge/contracts/calls';
import { liveInput, type LiveEvent } from '@drawbridge/contracts/live';
import { machineStatus, watchMachine, watchMachines } from '../../callers/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { watchThreads } from './agent/watch-threads.ts';
import type { Context } from './context.ts';
import { live } from './live.ts';
import { router, userProcedure } from './trpc.ts';

/** The newest calls that a reader gets again when it comes back. */
const replayedCalls = 50;

const callEvents = async (gateway: Gateway, userId: string, returns: boolean): Promise<CallEvent[]> => {
  const printed = gateway.calls.liveOutputs(userId);
  if (!returns) return printed;
  const { calls } = await gateway.calls.list(userId, { limit: replayedCalls });
  return [...calls.reverse().map((call): CallEvent => ({ type: 'call', call })), ...printed];
};

/** What a reader starts from: the machines, and what open calls printed last. It then lists the questions. */
const firstEvents = async (gateway: Gateway, userId: string, returns: boolean): Promise<LiveEvent[]> => {
  const [payload, machines, calls] = await Promise.all([
    machineStatus(gateway, { userId }),
    gateway.machines.summaries(userId),
    callEvents(gateway, userId, returns),
  ]);
  return [
    { topic: 'machine', event: { type: 'instanceAiGatewayStateChanged', payload } },
    { topic: 'machines', event: { type: 'machines', machines } },
    ...calls.map((event): LiveEvent => ({ topic: 'calls', event })),
  ];
};

const listen = (
  ctx: Pick<Context, 'gateway' | 'agent' | 'onError'>,
  userId: string,
  publish: (event: LiveEvent) => void,
): (() => void) => {
  const { gateway, agent, onError } = ctx;
  const stops = [
    watchMachine(ctx, { userId }, (event) => publish({ topic: 'machine', event })),
    watchMachines(ctx, userId, (event) => publish({ topic: 'machines', event })),
    gateway.calls.onChanged(userId, (event) => publish({ topic: 'calls', event })).stop,
    gateway.confirmations.onChanged(userId, (event) => publish({ topic: 'confirmations', event })).stop,
    gateway.settings.onChanged(() => {
      gateway.settings
        .get(userId)
        .then((settings) => publish({ topic: 'settings', event: { type: 'settings', settings } }), onError);
    }).stop,
    agent &&
      watchThreads({ threads: agent.agent.threads, onError }, userId, (event) =>
        publish({ topic: 'threads', event }),
      ),
    agent?.agent.onUsage(userId, () => {
      agent.agent
        .credits(userId)
        .then((credits) => publish({ topic: 'usage', event: { type: 'usageChanged', credits } }), onError);
    }),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
};

const textLength = ({ topic, event }: LiveEvent): number =>
  topic === 'calls' && event.type === 'progress' ? (event.output?.length ?? 0) : 0;

/**
 * The panel's one subscription: browsers open six connections to a server by HTTP/1.1, for all windows
 * together.
 */
export const liveRouter = router({
  /** The present state, then each change of every topic, for this user alone; the newest calls first. */
  onEvent: userProcedure.input(liveInput).subscription(({ ctx, input, signal }) =>
    live<LiveEvent>({
      accounts: ctx.accounts,
      streams: ctx.streams,
      unread: ctx.unread,
      session: ctx.session,
      signal,
      listen: (publish) => listen(ctx, ctx.userId, publish),
      lengthOf: textLength,
      first: () => firstEvents(ctx.gateway, ctx.userId, Boolean(input?.lastEventId)),
    }),
  ),
});
