import type { AgentNeeds } from '../../ports/needs.ts';
import type { RunRow, ThreadRow } from '../../rows/rows.ts';
import { mayUseRuntimes, type Sender } from '../../rows/sender.ts';
import { machineFor } from '../../tools/common/runtimes.ts';

/** The model of this server, beside the coding agents of machines. */
export const native = 'native';

/** What answers a message. */
export interface Route {
  /** The id of the model, or of the coding agent. */
  model: string;
  runtime: RunRow['runtime'];
  /** The first of the settings' list, where another one answers in its place. */
  fallbackFrom: string | null;
}

type RouteNeeds = Pick<AgentNeeds, 'machine' | 'model' | 'config'>;

export interface Routed {
  thread: Pick<ThreadRow, 'userId' | 'machineId' | 'runtime'>;
  sender: Pick<Sender, 'key' | 'groups'>;
}

const nativeRoute = async ({ model, config }: RouteNeeds): Promise<Route | null> => {
  const info = (await config()).off === null ? await model.info('main') : null;
  return info && { model: info.id, runtime: null, fallbackFrom: null };
};

/** The first of the list that can answer now; null where none can. */
const firstOf = async (
  ctx: RouteNeeds,
  { userId, machineId }: Routed['thread'],
  backends: readonly string[],
): Promise<Route | null> => {
  const isNativeAlone = backends.every((id) => id === native);
  const machines = isNativeAlone ? [] : await ctx.machine.runtimes(userId);
  for (const id of backends) {
    if (id === native) {
      const route = await nativeRoute(ctx);
      if (route) return route;
      continue;
    }
    const machine = machineFor(machines, id, machineId);
    if (!machine) continue;
    const runtime = { id, machineId: machine.id, folder: null, source: 'config', tokens: null } as const;
    return { model: id, runtime, fallbackFrom: null };
  }
  return null;
};

/**
 * What answers a message: the choice of the thread, else the first of `RUNTIME_BACKENDS` that can answer. A
 * choice is kept also where it cannot answer now: nothing else answers in its place. Null where nothing can.
 */
export const routeOf = async (ctx: RouteNeeds, { thread, sender }: Routed): Promise<Route | null> => {
  const { off, runtimeBackends } = await ctx.config();
  if (off === 'module') return null;
  if (!mayUseRuntimes(sender)) return nativeRoute(ctx);
  const { runtime } = thread;
  if (runtime?.id === native) return nativeRoute(ctx);
  if (runtime !== null)
    return {
      ...{ model: runtime.id, fallbackFrom: null },
      runtime: { ...runtime, source: 'thread', tokens: null },
    };
  const [first] = runtimeBackends;
  const route = await firstOf(ctx, thread, runtimeBackends);
  const isFallback = route !== null && first !== undefined && first !== (route.runtime?.id ?? native);
  return route && { ...route, fallbackFrom: isFallback ? first : null };
};

/** What answers after a coding agent of the settings' list could not begin. */
export const routeAfter = async (
  ctx: RouteNeeds,
  thread: Routed['thread'],
  failed: string,
): Promise<Route | null> => {
  const { runtimeBackends } = await ctx.config();
  const later = runtimeBackends.slice(runtimeBackends.indexOf(failed) + 1);
  const route = await firstOf(ctx, thread, later);
  return route && { ...route, fallbackFrom: failed };
};
