import type { CancelReason } from '@drawbridge/contracts/daemon-event';
import { stoppedStates, type CallRecord } from '../call.ts';
import type { OpenCall } from './held-calls.ts';
import { stopReasonOf, streamHere, writeStop, writeStopHere } from './delivery.ts';
import { load, reload, send, type Runner } from './runner.ts';

/** Whether its daemon was to stop it, and has not answered. */
const isStopped = ({ state, answerDigest }: CallRecord): boolean =>
  stoppedStates.some((stopped) => stopped === state) && answerDigest === null;

/** Takes over what another server has stored of a call, and does here what that server could not. */
const refresh = async (runner: Runner, call: OpenCall, rev: number): Promise<void> => {
  if (call.data.record.rev >= rev) return;
  const before = call.data.state.kind;
  await reload(runner, call);
  const { state, record } = call.data;
  if (state.kind === 'pending') return send(runner, call);
  if (state.kind !== 'ended' || before !== 'delivered' || !isStopped(record)) return;
  writeStop(runner, call.data, stopReasonOf(record));
};

/** Another server has made a call whose machine has its stream here. */
const deliver = async (runner: Runner, requestId: string): Promise<void> => {
  const call = runner.held.get(requestId) ?? (await load(runner, requestId));
  if (!call || !streamHere(runner, call.data.record.machineId)) return;
  await runner.queue.run(requestId, async () => {
    if (!runner.held.has(call)) await reload(runner, call);
    if (call.data.state.kind === 'pending') await send(runner, call);
  });
};

/** Another server has stopped a call. The message may be late: the daemon here may be another one by now. */
const stop = async (
  runner: Runner,
  { requestId, reason }: { requestId: string; reason: CancelReason },
): Promise<void> => {
  const record = await runner.stores.calls.byId(requestId);
  if (record && isStopped(record)) writeStopHere(runner, record, reason);
};

/** How far the clocks of two servers, and the times of two writes, may lie apart. */
const overlapMs = 5_000;

/** Tells the machines that have their streams here which of their calls other servers have stopped. */
const writeStops = async (runner: Runner, since: number): Promise<void> => {
  const { stores, server } = runner;
  for (const call of await stores.sharedCalls.stoppedOn(server.id(), since))
    writeStopHere(runner, call, stopReasonOf(call));
};

/**
 * Learns what other servers store of calls that are in memory here, and which of their calls are for a stream
 * here. Reads the store where messages may be lost.
 */
export const watchOtherServers = (runner: Runner): (() => void) => {
  const { bus, clock, server, stores, onError } = runner;
  let polledAt = clock.now();
  const deliverSoon = (requestId: string) => void deliver(runner, requestId).catch(onError);
  const refreshSoon = (requestId: string, rev: number) => {
    const call = runner.held.get(requestId);
    if (call) runner.queue.run(requestId, () => refresh(runner, call, rev)).catch(onError);
  };
  const poll = async () => {
    const at = clock.now();
    for (const { requestId, rev } of await stores.calls.revisions(runner.held.ids()))
      refreshSoon(requestId, rev);
    for (const requestId of await stores.sharedCalls.waitingOn(server.id())) deliverSoon(requestId);
    await writeStops(runner, polledAt - overlapMs);
    polledAt = at;
  };
  const cancels = [
    bus.subscribe('all', (message) => {
      if (message.type === 'call-stored') refreshSoon(message.requestId, message.rev);
    }).stop,
    server.subscribe((message) => {
      if (message.type === 'deliver-call') deliverSoon(message.requestId);
      if (message.type === 'stop-call') stop(runner, message).catch(onError);
    }).stop,
    bus.onGap(() => void poll().catch(onError)),
    server.onRound(poll),
  ];
  return () => {
    for (const cancel of cancels) cancel();
  };
};
