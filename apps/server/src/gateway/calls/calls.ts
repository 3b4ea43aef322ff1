import type { Call, CallEvent, CallVia } from '@drawbridge/contracts/calls';
import type { ToolCall } from '@drawbridge/contracts/tool-call';
import { errors } from '../../errors.ts';
import type { MachineRef } from '../machines/registry.ts';
import { toCall, type CallRecord } from './call.ts';
import { runCall, stopCall, type CallOptions, type CallsContext } from './run-call.ts';

/** A token or a client that calls come through, whatever its name. */
export type CallMaker = Pick<CallVia, 'kind' | 'id'>;

/** Calls as users see them. Ids of another user answer like unknown ones: `notFound`. Specification 6. */
export interface Calls {
  /**
   * Runs a tool. Throws `notFound`, `notConnected`, `machinePaused`, `unknownTool`, `gatewayDisabled`,
   * `tooManyCalls`, `tooLarge`, `invalidArguments`, `storedTooMuch`, `diskAlmostFull`, `storeUnavailable`
   * before it is stored; then resolves. Specification 6.
   */
  run(machine: MachineRef, toolCall: ToolCall, options: CallOptions): Promise<Call>;
  get(userId: string, requestId: string): Promise<Call>;
  /** Stops an open call; one that has ended stays as it is. Returns the call as it then is. */
  cancel(userId: string, requestId: string): Promise<Call>;
  /** Stops all open calls that came through one token or client, and withdraws their questions. */
  cancelOf(userId: string, maker: CallMaker): Promise<void>;
  onChanged(userId: string, listener: (event: CallEvent) => void): () => void;
  /** The last message and the newest output of each open call, for a new subscriber. */
  liveOutputs(userId: string): CallEvent[];
}

const own = (record: CallRecord | undefined, userId: string): CallRecord => {
  if (record?.userId !== userId) throw errors.notFound();
  return record;
};

export const createCalls = (ctx: CallsContext): Calls => {
  const { openCalls, store, bus, liveOutputs } = ctx;
  const get = async (userId: string, requestId: string) =>
    toCall(own(openCalls.find(requestId)?.data.record ?? (await store.byId(requestId)), userId));
  return {
    run: (ref, toolCall, options) => runCall(ctx, { ref, toolCall }, options),
    get,
    cancel: async (userId, requestId) => {
      await get(userId, requestId);
      await stopCall(ctx, requestId, 'user');
      return get(userId, requestId);
    },
    cancelOf: async (userId, { kind, id }) => {
      const made = openCalls
        .of(userId)
        .filter(({ data }) => data.record.via?.kind === kind && data.record.via.id === id);
      await Promise.all(made.map(({ data }) => stopCall(ctx, data.record.requestId, 'user')));
    },
    onChanged: (userId, listener) =>
      bus.subscribe(`user:${userId}`, (message) => {
        if (message.type === 'call-changed') listener(message.event);
      }).stop,
    liveOutputs: liveOutputs.of,
  };
};
