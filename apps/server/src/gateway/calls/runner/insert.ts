import { errors } from '../../../errors.ts';
import type { CallRecord } from '../call.ts';
import type { CallWrite } from '../store/call-write.ts';
import { dueAt } from '../transition/call-state.ts';
import type { CallData } from '../transition/transition.ts';
import { streamHere, writeCall } from './delivery.ts';
import type { OpenCall } from './held-calls.ts';
import { arm, checkFence, next, send, step, type Runner } from './runner.ts';

interface NewCall {
  call: OpenCall;
  /** The call before it is delivered. */
  made: CallData;
  /** Written with the call, which is not stored where one of them is outdated. */
  conditions: readonly CallWrite[];
}

/**
 * One write: a call whose machine has its stream here is stored as delivered. Not stored where the row is
 * outdated.
 */
const tryInsert = async (runner: Runner, { call, made, conditions }: NewCall) => {
  const { machineId } = made.record;
  const isPaused = runner.machine(machineId)?.info.pausedAt !== null;
  const fence = isPaused ? null : streamHere(runner, machineId);
  const at = runner.clock.now();
  const dispatched = { type: 'dispatched', at } as const;
  const delivered = fence && next(runner, { data: made, isUnstored: call.isUnstored }, dispatched)?.data;
  call.data = delivered ?? made;
  // Decision 0006: a read goes out while its row is being written, where nothing else can refuse the row.
  const mayBeEarly = call.reads && conditions.length === 0 && runner.bus.pollMs === null;
  const write = () => writeCall(runner, call.data, { again: false });
  const early = fence && mayBeEarly ? write() : null;
  const isStored = await runner.stores.transitions.apply(
    [
      ...conditions,
      {
        type: 'insert-call',
        record: call.data.record,
        fence: fence ?? 'connected',
        makerId: runner.server.id(),
        dueAt: call.data.state.kind === 'ended' ? 0 : dueAt(call.data.state),
      },
    ],
    call.reads ? 'lazy' : 'synced',
  );
  if (isStored && fence && early === null) await checkFence(runner, machineId, at);
  return { fence, isStored, isWritten: isStored && fence !== null && (early ?? write()) };
};

/** Why a call was not stored, where its machine could take it and its claim holds. Null if it is stored. */
const refusalOf = async ({ bus, limits, stores }: Runner, record: CallRecord) => {
  if (bus.pollMs === null) return undefined;
  if (await stores.calls.byId(record.requestId)) return null;
  const { ofUser, ofMaker } = await stores.sharedCalls.count(record);
  const isFull = ofUser >= limits.maxOpenCalls || ofMaker >= limits.maxOpenCallsOfOne;
  return isFull ? errors.tooManyCalls() : undefined;
};

/** Null for a call that another server has made under the same id. */
const storeNew = async (runner: Runner, newCall: NewCall) => {
  const { machineId } = newCall.made.record;
  for (;;) {
    const tried = await tryInsert(runner, newCall);
    if (tried.isStored) return tried;
    await runner.refreshMachine(machineId);
    const machine = runner.machine(machineId);
    if (machine?.connection.kind === 'offline') throw errors.notConnected();
    if (machine && machine.info.pausedAt !== null) throw errors.machinePaused();
    const refusal = await refusalOf(runner, newCall.made.record);
    if (refusal === null) return null;
    if (refusal) throw refusal;
    if (tried.fence?.stream === streamHere(runner, machineId)?.stream)
      throw errors.storeUnavailable({ message: 'The server took too long to start the call' });
  }
};

/**
 * Stores a new call and writes it on its machine's stream, if that is here. Throws `notConnected` if the
 * machine has left, `machinePaused`, `tooManyCalls`, and `storeUnavailable` if a condition does not
 * hold any more. False where another server has made the call.
 */
export const insert = async (
  runner: Runner,
  call: OpenCall,
  conditions: readonly CallWrite[],
): Promise<boolean> => {
  const stored = await storeNew(runner, { call, made: call.data, conditions });
  if (!stored) return false;
  runner.onChanged(call.data.record);
  arm(runner, call);
  if (!stored.fence) await send(runner, call);
  else if (!stored.isWritten) await step(runner, call, { type: 'unsent', stream: stored.fence.stream });
  return true;
};
