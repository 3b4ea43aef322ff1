import type {
  MachineCall,
  MachineOutcome,
  MachinePort,
  MachineTool,
  RuntimeMachine,
  ThreadKey,
} from '@drawbridge/agent';
import type { Call, CallVia } from '@drawbridge/contracts/calls';
import { maxReasonLength } from '@drawbridge/contracts/confirmation';
import { isDenial } from '@drawbridge/contracts/groups';
import { turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { Tool } from '@drawbridge/contracts/tool';
import { hasCode } from '@drawbridge/kit';
import { z } from 'zod';
import {
  groupsOfTool,
  machineChoices,
  machineOf,
  machineToolNames,
  openCallWithId,
  scopeTool,
  toolsInScope,
  userCaller,
  type CallerContext,
} from '../callers/index.ts';
import { isReading, type CallHandle, type ThreadDriver } from '../gateway/index.ts';

const ownNames: ReadonlySet<string> = new Set(machineToolNames);

const toMachineTool = (tool: Tool): MachineTool => ({
  name: tool.name,
  description: tool.description ?? tool.title ?? '',
  inputSchema: tool.inputSchema,
  group: groupsOfTool(tool)[0] ?? null,
  isOwn: ownNames.has(tool.name),
  isReading: isReading(tool.name),
});

const made = new WeakMap<Tool, MachineTool>();

/** Made once of each offer of a tool. */
const machineToolOf = (tool: Tool): MachineTool => {
  const one = made.get(tool) ?? toMachineTool(tool);
  made.set(tool, one);
  return one;
};

type Listener = (userId: string, requestId: string) => void;

/** Calls of threads, of the users that were watched once. A call that `during` waits for is not reported. */
const createChanges = ({ gateway }: CallerContext) => {
  const watched = new Map<string, () => void>();
  const waitedFor = new Set<string>();
  let listener: Listener = () => {};
  return {
    during: async <Value>(requestId: string, wait: () => Promise<Value>): Promise<Value> => {
      waitedFor.add(requestId);
      try {
        return await wait();
      } finally {
        waitedFor.delete(requestId);
      }
    },
    watch: (userId: string) => {
      if (watched.has(userId)) return;
      const { stop } = gateway.calls.onChanged(userId, (event) => {
        if (event.type !== 'call' || event.call.via?.kind !== 'thread') return;
        if (!waitedFor.has(event.call.requestId)) listener(userId, event.call.requestId);
      });
      watched.set(userId, stop);
    },
    subscribe: (next: Listener) => {
      listener = next;
      return () => {
        for (const stop of watched.values()) stop();
        watched.clear();
      };
    },
  };
};

/** A call that has ended, or waits for the person. */
const outcomeOf = async ({ gateway }: CallerContext, userId: string, call: Call): Promise<MachineOutcome> => {
  if (call.endedAt !== null || call.confirmationId === null) {
    const { state, result, error, denialReason } = call;
    return { kind: 'ended', state, result, error, denialReason };
  }
  const asked = await gateway.confirmations.get(userId, call.confirmationId);
  const { id: confirmationId, title, resource, description, options, expiresAt } = asked;
  return {
    kind: 'waiting',
    question: { confirmationId, resource, description, options },
    title: title ?? description,
    expiresAt: Date.parse(expiresAt),
  };
};

/** Null for a call that was not made. */
const ifMade = <Value>(found: Promise<Value>): Promise<Value | null> =>
  found.catch((error: unknown) => {
    if (hasCode(error, 'NOT_FOUND')) return null;
    throw error;
  });

interface Asked {
  userId: string;
  call: MachineCall;
  signal: AbortSignal;
  driver: { driver?: ThreadDriver };
}

/** Follows the call with that id, or makes it: an abort before it is stored makes none. */
const openOrFollow = async (
  ctx: CallerContext,
  { userId, call, signal, driver }: Asked,
): Promise<CallHandle> => {
  const { requestId, threadId, name, machineId, groups, ...toolCall } = call;
  const made = await ifMade(ctx.gateway.calls.follow(userId, requestId));
  if (made) return made;
  const via: CallVia = { kind: 'thread', id: threadId, name };
  const scopes = groups ?? ('all' as const);
  const caller = { ...userCaller(userId), scopes, via, ...(machineId !== null && { machineId }) };
  const tool = await scopeTool(ctx.gateway, caller, toolCall.tool);
  return openCallWithId(
    ctx,
    { tool, arguments: toolCall.arguments, door: 'agent', signal, ...driver },
    requestId,
  );
};

/** The same work, whose wait an abort ends: it rejects with the reason. */
const untilAborted = async <Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** An abort rejects; a call that is stored continues. */
const outcomeOnceThere = async (ctx: CallerContext, asked: Asked): Promise<MachineOutcome> => {
  const { userId, signal } = asked;
  const handle = await untilAborted(signal, () => openOrFollow(ctx, asked));
  const call = await untilAborted(signal, () => handle.wait({ until: 'asked', signal }));
  return outcomeOf(ctx, userId, call);
};

const turnSchema = z.object({
  properties: z.looseObject({ runtime: z.object({ enum: z.array(z.string()) }) }),
});

/** The coding agents that a machine offers, and what they can get, by the tool that gives them a task. */
const runtimesOf = (tools: ReadonlyMap<string, Tool>): Pick<RuntimeMachine, 'runtimes' | 'inputs'> => {
  const { data } = turnSchema.safeParse(tools.get(turnTool)?.inputSchema);
  if (data === undefined) return { runtimes: [], inputs: [] };
  return { runtimes: data.properties.runtime.enum, inputs: Object.keys(data.properties) };
};

const runtimeMachines = async ({ gateway }: CallerContext, userId: string): Promise<RuntimeMachine[]> => {
  const choices = await machineChoices(gateway, { userId });
  const all = await Promise.all(
    choices.map(async ({ id, name, isConnected, isPaused, isDefault }) => {
      const { tools } = await gateway.machines.view({ userId, machineId: id });
      return { id, name, isConnected, isPaused, isDefault, ...runtimesOf(tools) };
    }),
  );
  return all
    .filter(({ runtimes }) => runtimes.length > 0)
    .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
};

/** The machines of the agent's users, by the same way as for every other caller. */
export const createMachinePort = (
  ctx: CallerContext,
  driverOf?: (key: ThreadKey) => ThreadDriver,
): MachinePort => {
  const { gateway } = ctx;
  const changes = createChanges(ctx);
  const find = (userId: string, requestId: string) => ifMade(gateway.calls.get(userId, requestId));

  return {
    view: async (userId, machineId, groups = null) => {
      const machine = await machineOf(gateway, { userId, ...(machineId !== null && { machineId }) });
      if (!machine) return null;
      const { connected, directory } = machine.status();
      return {
        id: machine.ref.machineId,
        name: machine.name,
        directory,
        isConnected: connected,
        tools: toolsInScope(machine, { scopes: groups ?? 'all' }).map(machineToolOf),
      };
    },
    call: (userId, call, signal) => {
      changes.watch(userId);
      const { requestId, threadId } = call;
      const driver = driverOf ? { driver: driverOf({ userId, threadId }) } : {};
      return changes.during(requestId, () => outcomeOnceThere(ctx, { userId, call, signal, driver }));
    },
    stateOf: async (userId, requestId) => {
      changes.watch(userId);
      const call = await find(userId, requestId);
      if (call === null) return 'unknown';
      if (call.endedAt !== null) return 'ended';
      return call.state === 'awaiting-confirmation' ? 'waiting' : 'open';
    },
    decide: async (userId, requestId, { answer, via }) => {
      const isDecision = answer.kind === 'resourceDecision';
      const shown = isDecision ? answer.confirmationId : undefined;
      await gateway.confirmations.decide(
        userId,
        shown === undefined ? { requestId } : { confirmationId: shown },
        isDecision
          ? {
              approved: !isDenial(answer.resourceDecision),
              resourceDecision: answer.resourceDecision,
              ...(answer.reach !== undefined && { reach: answer.reach }),
            }
          : {
              approved: answer.approved,
              ...(!answer.approved &&
                answer.userInput !== undefined && { reason: answer.userInput.slice(0, maxReasonLength) }),
            },
        via,
      );
    },
    cancel: async (userId, requestId) => {
      if ((await find(userId, requestId)) === null) return true;
      const { state, started } = await gateway.calls.cancel(userId, requestId);
      return state === 'cancelled' && started === false;
    },
    onChanged: changes.subscribe,
    runtimes: (userId) => runtimeMachines(ctx, userId),
    look: async (userId, requestId) => {
      const call = await find(userId, requestId);
      if (call === null) return null;
      const isAsked = call.state === 'awaiting-confirmation';
      return call.endedAt === null && !isAsked ? { kind: 'open' } : outcomeOf(ctx, userId, call);
    },
    onTurn: gateway.calls.onTurn,
  };
};
