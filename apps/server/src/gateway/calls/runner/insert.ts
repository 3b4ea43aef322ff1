import { errors } from '../../../errors.ts';
import type { OpenCall } from './held-calls.ts';
import { arm, next, send, step, type Runner } from './runner.ts';
import type { CallWrite } from '../store/transitions.store.ts';
import type { CallData } from '../transition/transition.ts';
import { streamHere, writeCall } from './delivery.ts';

interface NewCall {
  call: OpenCall;
  /** The call before it is delivered. */
  made: CallData;
  /** The idempotency key that is claimed for the call. */
  claimKey: string | null;
}

/**
 * One write: a call whose machine has its stream here is stored as delivered. Not stored where the row is
 * outdated.
 */
const tryInsert = async (runner: Runner, { call, made, claimKey }: NewCall) => {
  const { machineId, requestId } = made.record;
  const isPaused = runner.machine(machineId)?.info.pausedAt !== null;
  const fence = isPaused ? null : streamHere(runner, machineId);
  const dispatched = { type: 'dispatched', at: runner.clock.now() } as const;
  const delivered = fence && next(runner, { data: made, isUnstored: call.isUnstored }, dispatched)?.data;
  call.data = delivered ?? made;
  // Decision 0006: a read goes out while its row is being written, where nothing else can refuse the row.
  const mayBeEarly = call.reads && claimKey === null && runner.bus.pollMs === null;
  const write = () => writeCall(runner, call.data, { again: false });
  const early = fence && mayBeEarly ? write() : null;
  const claims: CallWrite[] = claimKey === null ? [] : [{ type: 'end-claim', key: claimKey, requestId }];
  const isStored = await runner.stores.transitions.apply(
    [...claims, { type: 'insert-call', record: call.data.record, fence: fence ?? 'connected' }],
    call.reads ? 'kept' : 'synced',
  );
  return { fence, isStored, isWritten: isStored && fence !== null && (early ?? write()) };
};

const storeNew = async (runner: Runner, newCall: NewCall) => {
  const { machineId } = newCall.made.record;
  for (;;) {
    const tried = await tryInsert(runner, newCall);
    if (tried.isStored) return tried;
    await runner.refreshMachine(machineId);
    const machine = runner.machine(machineId);
    if (machine?.connection.kind === 'offline') throw errors.notConnected();
    if (machine && machine.info.pausedAt !== null) throw errors.machinePaused();
    if (tried.fence?.stream === streamHere(runner, machineId)?.stream)
      throw errors.storeUnavailable({ message: 'The server took too long to start the call' });
  }
};

/**
 * Stores a new call and writes it on its machine's stream, if that is here. Throws `notConnected` if the
 * machine has left, `machinePaused`, and `storeUnavailable` if the claim of its key has ended.
 */
export const insert = async (runner: Runner, call: OpenCall, claimKey: string | null): Promise<void> => {
  const { fence, isWritten } = await storeNew(runner, { call, made: call.data, claimKey });
  runner.onChanged(call.data.record);
  arm(runner, call);
  if (!fence) return send(runner, call);
  if (!isWritten) await step(runner, call, { type: 'unsent' });
};
