import type { Call, CallEvent, CallVia, Door } from '@drawbridge/contracts/calls';
import { asksClientAnnotation, inputArgument, type ClientInput } from '@drawbridge/contracts/client-input';
import { turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { Tool } from '@drawbridge/contracts/tool';
import { withoutConfirmation, type ToolCall } from '@drawbridge/contracts/tool-call';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import { subjectOf } from '../../subject/index.ts';
import { watchTopic, type Bus, type Subscription } from '../bus.ts';
import type { GatewayLimits } from '../limits.ts';
import type { Machine, MachineRef, Registry } from '../machines/registry.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { requireArguments } from './arguments/check-arguments.ts';
import { toCall, type CallRecord } from './call.ts';
import { cancelCall, createHandle, type CallHandle } from './handle.ts';
import type { SharedOutputs } from './shared-outputs.ts';
import type { SharedCallsStore } from './store/shared-calls.store.ts';
import type { ThisServer } from '../cluster/this-server.ts';
import type { LiveOutputs } from './live-outputs.ts';
import type { TurnEvents, TurnListener } from './turn-events.ts';
import type { CallMaker, OpenCalls } from './runner/open-calls.ts';
import type { CallsStore } from './store/calls.store.ts';
import type { ConfirmationsStore } from './store/confirmations.store.ts';
import type { CallWrite, ThreadDriver } from './store/call-write.ts';
import type { StoringBudget } from './storing-budget.ts';

/** How a call is made. */
export interface CallOptions {
  door: Door;
  /** The token or client it came through; left out for a signed-in user. */
  via?: CallVia;
  /** The ids of the machines that its caller may use; all of the user when undefined. */
  reach?: readonly string[];
  /** Aborted before the call has an id, it is not made: `cancelled`. */
  signal?: AbortSignal;
  /**
   * What the caller's client can be asked and has answered, for a tool that asks it; the only way to such a
   * tool.
   */
  clientInput?: ClientInput;
  /** What `Idempotency.claim` gave; a call without an idempotency key when undefined. */
  claim?: { requestId: string; key: string | null };
  /** Of a thread that one of several servers drives: made only while that server does. */
  driver?: ThreadDriver;
  /** Called with the id before the call is published. */
  onOpened?(requestId: string): void;
}

/** Calls as users see them. Ids of another user answer like unknown ones: `notFound`. Specification 6. */
export interface Calls {
  /**
   * Makes a call. Throws `notFound`, `notConnected`, `machinePaused`, `unknownTool`, `gatewayDisabled`,
   * `tooManyCalls`, `tooLarge`, `invalidArguments`, `storedTooMuch`, `diskAlmostFull`, `storeUnavailable`;
   * resolves when it is stored, and sent where its machine has its stream here. Specification 6.
   */
  open(machine: MachineRef, toolCall: ToolCall, options: CallOptions): Promise<CallHandle>;
  /** The same for a call that was made before. */
  follow(userId: string, requestId: string): Promise<CallHandle>;
  get(userId: string, requestId: string): Promise<Call>;
  /** Stops an open call; one that has ended stays as it is. Returns the call as it then is. */
  cancel(userId: string, requestId: string): Promise<Call>;
  /** Stops all open calls that came through one token or client, and withdraws their questions. */
  cancelOf(userId: string, maker: CallMaker): Promise<void>;
  /** States may come late, twice or out of order: the highest `rev` counts. `onGap`: some may be missing. */
  onChanged(userId: string, listener: (event: CallEvent) => void, onGap?: () => void): Subscription;
  /** The last message and the newest output of each open call, for a new subscriber. */
  liveOutputs(userId: string): CallEvent[];
  /** The same of other servers, each time after `ask`; some may be missing. */
  watchOutputs(userId: string, listener: (event: CallEvent) => void): { ask(): void; stop(): void };
  /** The one listener for what coding agents do that answer threads. */
  onTurn(listener: TurnListener): void;
}

/** What calls are made and answered with. */
export interface CallsContext {
  clock: Clock;
  limits: GatewayLimits;
  store: CallsStore;
  registry: Pick<Registry, 'connected'>;
  settings: Pick<GatewaySettings, 'requireEnabled'>;
  openCalls: OpenCalls;
  confirmations: Pick<ConfirmationsStore, 'byId'>;
  liveOutputs: LiveOutputs;
  turnEvents: TurnEvents;
  sharedCalls: Pick<SharedCallsStore, 'stillOpen'>;
  server: ThisServer;
  bus: Bus;
  budget: StoringBudget;
  /** Whether the disk of the store is almost full. */
  isDiskLow(): boolean;
  onError(error: unknown): void;
}

/**
 * Begins with its time: ids of one moment lie together in the store's index, so that writing them down
 * touches one page of it.
 */
export const newRequestId = (at: number): string => at.toString(36).padStart(9, '0') + nanoid(22);

/** Only a door that knows the client may speak for it. */
const withClientInput = (
  tool: Tool,
  args: Record<string, unknown>,
  clientInput: ClientInput | undefined,
): Record<string, unknown> => {
  if (tool.annotations?.[asksClientAnnotation] !== true) return args;
  const { [inputArgument]: _input, ...own } = args;
  return clientInput ? { ...own, [inputArgument]: clientInput } : own;
};

interface Maker {
  userId: string;
  machine: Machine;
  options: CallOptions;
}

const newRecord = (
  { clock, limits }: CallsContext,
  { userId, machine, options }: Maker,
  toolCall: ToolCall,
): CallRecord => {
  const createdAt = clock.now();
  return {
    requestId: options.claim?.requestId ?? newRequestId(createdAt),
    userId,
    machineId: machine.id,
    tool: toolCall.name,
    subject: subjectOf(toolCall.arguments),
    arguments: toolCall.arguments,
    door: options.door,
    via: options.via ?? null,
    state: 'pending',
    result: null,
    error: null,
    started: null,
    ruling: null,
    decision: null,
    decidedBy: null,
    denialReason: null,
    confirmationId: null,
    epoch: null,
    answerDigest: null,
    endsAt: createdAt + (toolCall.name === turnTool ? limits.turnMaxMs : limits.callMaxMs),
    rev: 0,
    createdAt,
    deliveredAt: null,
    endedAt: null,
  };
};

/** One token cannot use all of the user's calls. */
const refuseTooMany = (
  { openCalls, limits }: CallsContext,
  caller: { userId: string; via: CallVia | null },
): void => {
  const isFull =
    openCalls.count({ userId: caller.userId }) >= limits.maxOpenCalls ||
    (caller.via !== null && openCalls.count(caller) >= limits.maxOpenCallsOfOne);
  if (isFull) throw errors.tooManyCalls();
};

/** The arguments of a call as they are stored. Throws `tooLarge` and `invalidArguments`. */
const readArguments = (
  { limits }: CallsContext,
  tool: Tool,
  { given, clientInput }: { given: ToolCall['arguments']; clientInput: ClientInput | undefined },
) => {
  const args = withClientInput(tool, given, clientInput);
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > limits.argumentsMaxBytes)
    throw errors.tooLarge({ message: 'The arguments of the call are too large' });
  requireArguments(tool, given);
  return { args, bytes };
};

/** The record of a call that may be made; counted, and not stored yet. `bytes`: of its arguments as JSON. */
export const admitCall = (
  ctx: CallsContext,
  maker: Maker,
  { bytes, ...toolCall }: ToolCall & { bytes: number },
): CallRecord => {
  const { machine, options } = maker;
  const caller = { userId: maker.userId, via: options.via ?? null };
  refuseTooMany(ctx, caller);
  ctx.budget.require(caller, bytes);
  if (ctx.isDiskLow()) throw errors.diskAlmostFull();
  // Before it has an id; the statement that stores a call refuses it as well, also on another server.
  if (machine.info.pausedAt !== null) throw errors.machinePaused();
  const record = newRecord(ctx, maker, toolCall);
  ctx.budget.count(caller, bytes);
  return record;
};

const admit = (ctx: CallsContext, maker: Maker, { name, arguments: all }: ToolCall): CallRecord => {
  const { machine, options } = maker;
  const tool = machine.info.toolList.tools.get(name);
  if (!tool) throw errors.unknownTool();
  const given = withoutConfirmation(all);
  const { args, bytes } = readArguments(ctx, tool, { given, clientInput: options.clientInput });
  return admitCall(ctx, maker, { name, arguments: args, bytes });
};

const own = (record: CallRecord | undefined, userId: string): CallRecord => {
  if (record?.userId !== userId) throw errors.notFound();
  return record;
};

/** Whether two records are one call; of one that has ended long arguments are not kept, and it is another. */
const isSame = (found: CallRecord, made: CallRecord): boolean =>
  found === made ||
  (found.tool === made.tool &&
    found.machineId === made.machineId &&
    found.door === made.door &&
    JSON.stringify(found.arguments) === JSON.stringify(made.arguments));

const conditionsOf = ({ requestId }: CallRecord, { claim, driver }: CallOptions): CallWrite[] => [
  ...(claim && claim.key !== null ? [{ type: 'end-claim', key: claim.key, requestId } as const] : []),
  ...(driver ? [{ type: 'require-driver', driver } as const] : []),
];

/** Stored, and on its way, when it resolves. */
const openCall = async (
  ctx: CallsContext,
  { ref, toolCall }: { ref: MachineRef; toolCall: ToolCall },
  options: CallOptions,
): Promise<CallHandle> => {
  const { userId } = ref;
  await ctx.settings.requireEnabled(userId);
  const machine = await ctx.registry.connected(ref, options.reach);
  if (options.signal?.aborted === true) throw errors.cancelled();
  const record = admit(ctx, { userId, machine, options }, toolCall);
  options.onOpened?.(record.requestId);
  const call = await ctx.openCalls.add({ record, conditions: conditionsOf(record, options) });
  // The id of a call that exists may be another user's, or of another call of the same one.
  const found = own(call?.data.record ?? (await ctx.store.byId(record.requestId)), userId);
  if (!isSame(found, record))
    throw errors.idempotencyKeyReused({ message: 'This id belongs to another call' });
  return createHandle(ctx, record.requestId, call);
};

export const createCalls = (ctx: CallsContext, shared: Pick<SharedOutputs, 'watch'>): Calls => {
  const { openCalls, store, bus, liveOutputs, turnEvents } = ctx;
  const get = async (userId: string, requestId: string) =>
    toCall(own(openCalls.find(requestId)?.data.record ?? (await store.byId(requestId)), userId));
  return {
    open: (ref, toolCall, options) => openCall(ctx, { ref, toolCall }, options),
    follow: async (userId, requestId) => {
      const call = await openCalls.open(requestId);
      own(call?.data.record ?? (await store.byId(requestId)), userId);
      return createHandle(ctx, requestId, call);
    },
    get,
    cancel: async (userId, requestId) => {
      await get(userId, requestId);
      await cancelCall(openCalls, requestId, 'user');
      return get(userId, requestId);
    },
    cancelOf: async (userId, maker) => {
      const made = await openCalls.ofMaker(userId, maker);
      await Promise.all(made.map((requestId) => cancelCall(openCalls, requestId, 'user')));
    },
    onChanged: (userId, listener, onGap = () => {}) =>
      watchTopic(
        bus,
        { topic: `user:${userId}`, type: 'call-changed' },
        ({ event }) => listener(event),
        onGap,
      ),
    liveOutputs: liveOutputs.of,
    watchOutputs: shared.watch,
    onTurn: turnEvents.listen,
  };
};
