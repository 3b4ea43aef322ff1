import type { OpenCall } from './held-calls.ts';
import { load, send, type Runner } from './runner.ts';
import { hasFeature, isResumed, stopReasonOf, writeStopHere } from './delivery.ts';

/** Those that other servers have made. */
const othersOf = async (runner: Runner, machineId: string): Promise<OpenCall[]> => {
  if (runner.bus.pollMs === null) return [];
  const loaded: OpenCall[] = [];
  for (const requestId of await runner.stores.calls.openOf([machineId])) {
    const call = runner.held.get(requestId) === undefined ? await load(runner, requestId) : undefined;
    if (call) loaded.push(call);
  }
  return loaded;
};

/** Runs `job` in the turn of each open call of a machine, also of those that other servers have made. */
export const eachOf = async (
  runner: Runner,
  machineId: string,
  job: (call: OpenCall) => Promise<unknown>,
): Promise<void> => {
  const run = (call: OpenCall) =>
    runner.queue.run(call.data.record.requestId, () => job(call)).then(() => undefined, runner.onError);
  const held = runner.held.ofMachine(machineId).map(run);
  await Promise.all([...held, ...(await othersOf(runner, machineId)).map(run)]);
};

const resend = async (runner: Runner, call: OpenCall) => {
  const { kind } = call.data.state;
  if (kind === 'pending' || (kind === 'delivered' && isResumed(runner, call.data))) await send(runner, call);
};

/**
 * Sends what waits for the stream of a machine, one after the other, as the reader takes them: all at once
 * may be more than a slow one leaves unread.
 */
export const resendWaiting = async (runner: Runner, machineId: string): Promise<void> => {
  for (const call of [...runner.held.ofMachine(machineId), ...(await othersOf(runner, machineId))]) {
    await runner.queue.run(call.data.record.requestId, () => resend(runner, call)).catch(runner.onError);
    await runner.streams.ready(machineId);
  }
};

/**
 * Resends a reconnected machine the cancellations that it has not acknowledged: it, or its server, was
 * offline when the calls ended.
 */
export const resendCancellations = async (runner: Runner, machineId: string): Promise<void> => {
  const { clock, limits, stores } = runner;
  const { userId } = runner.machine(machineId) ?? {};
  if (userId === undefined || !hasFeature(runner, machineId, 'cancel')) return;
  const since = clock.now() - limits.callMaxMs - limits.stopAgainMs;
  for (const call of await stores.calls.unacknowledged(userId, since))
    if (call.machineId === machineId) writeStopHere(runner, call, stopReasonOf(call));
};
