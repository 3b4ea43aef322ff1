import { errors } from '../../../errors.ts';
import type { OpenCall } from '../open-call.ts';
import type { CallWrite, StreamFence, TransitionsStore } from '../store/transitions.store.ts';
import type { CallData } from '../transition.ts';
import { streamHere, writeCall, type DeliveryContext } from './delivery.ts';

export interface InsertContext extends DeliveryContext {
  stores: { transitions: TransitionsStore };
  /** Reads the machine again: another server has changed it. */
  refreshMachine(id: string): Promise<void>;
}

interface NewCall {
  call: OpenCall;
  /** The idempotency key that is claimed for the call. */
  claimKey: string | null;
  /** The call once it is delivered. */
  delivered(made: CallData): CallData;
}

/** The stream of the call on this server, or null, and whether its frame was written. */
interface Inserted {
  fence: StreamFence | null;
  isWritten: boolean;
}

/**
 * One write: a call whose machine has its stream here is stored as delivered. False if the row cannot be
 * stored.
 */
const tryInsert = async (ctx: InsertContext, made: CallData, { call, claimKey, delivered }: NewCall) => {
  const { machineId, requestId } = made.record;
  const isPaused = ctx.machine(machineId)?.info.pausedAt !== null;
  const fence = isPaused ? null : streamHere(ctx, machineId);
  call.data = fence ? delivered(made) : made;
  // Decision 0006: a read goes out while its row is being written, where nothing else can refuse the row.
  const mayBeEarly = call.reads && claimKey === null && ctx.bus.pollMs === null;
  const write = () => writeCall(ctx, call.data, { again: false });
  const early = fence && mayBeEarly ? write() : null;
  const claims: CallWrite[] = claimKey === null ? [] : [{ type: 'end-claim', key: claimKey, requestId }];
  const isStored = await ctx.stores.transitions.apply(
    [...claims, { type: 'insert-call', record: call.data.record, fence: fence ?? 'connected' }],
    call.reads ? 'kept' : 'synced',
  );
  return { fence, isStored, isWritten: isStored && fence !== null && (early ?? write()) };
};

/**
 * Stores a new call and writes it on its machine's stream, if that is here. Throws `notConnected` if the
 * machine has left, `machinePaused`, and `storeUnavailable` if the claim of its key has ended.
 */
export const insertCall = async (ctx: InsertContext, newCall: NewCall): Promise<Inserted> => {
  const made = newCall.call.data;
  const { machineId } = made.record;
  for (;;) {
    const { isStored, ...inserted } = await tryInsert(ctx, made, newCall);
    if (isStored) return inserted;
    await ctx.refreshMachine(machineId);
    const machine = ctx.machine(machineId);
    if (machine?.connection.kind === 'offline') throw errors.notConnected();
    if (machine && machine.info.pausedAt !== null) throw errors.machinePaused();
    if (inserted.fence?.stream === streamHere(ctx, machineId)?.stream)
      throw errors.storeUnavailable({ message: 'The server took too long to start the call' });
  }
};
