import type { RuntimeChoices } from '@drawbridge/contracts/machines/runtimes';
import type { AgentNeeds } from '../ports/needs.ts';
import type { ThreadKey } from '../rows/keys.ts';
import { threadOf } from '../rows/load.ts';
import { personSender } from '../rows/sender.ts';
import { native, routeOf } from '../turns/runtimes/route.ts';

/** What can answer a thread, also one that does not exist yet. */
export const runtimeChoices = async (
  ctx: Pick<AgentNeeds, 'store' | 'machine' | 'model' | 'config'>,
  { userId, threadId }: ThreadKey,
): Promise<RuntimeChoices> => {
  const [thread, machines, info] = await Promise.all([
    threadOf(ctx, userId, threadId),
    ctx.machine.runtimes(userId),
    ctx.model.info('main'),
  ]);
  const unchosen = { userId, machineId: thread?.machineId ?? null, runtime: null };
  const route = await routeOf(ctx, { thread: unchosen, sender: personSender(userId, '') });
  return {
    chosen: thread?.runtime ?? null,
    byDefault: route === null ? null : (route.runtime?.id ?? native),
    hasModel: info !== null,
    options: machines.flatMap(({ id: machineId, name: machine, isConnected, isPaused, runtimes }) =>
      runtimes.map((id) => {
        const state = isPaused
          ? ('paused' as const)
          : isConnected
            ? ('ready' as const)
            : ('offline' as const);
        return { id, machineId, machine, state };
      }),
    ),
  };
};
