import type { OpenCall } from './held-calls.ts';
import { streamHere, writeStop } from './delivery.ts';
import { load, reload, send, type Runner } from './runner.ts';

/** Takes over what another server has stored of a call, and does here what that server could not. */
const refresh = async (runner: Runner, call: OpenCall, rev: number): Promise<void> => {
  if (call.data.record.rev >= rev) return;
  const before = call.data.state.kind;
  await reload(runner, call);
  const { state, record } = call.data;
  if (state.kind === 'pending') return send(runner, call);
  const isStopped = record.state === 'cancelled' || record.state === 'timed-out';
  if (state.kind !== 'ended' || before !== 'delivered' || !isStopped || record.answerDigest !== null) return;
  writeStop(runner, call.data, record.state === 'timed-out' ? 'timeout' : 'user');
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

/**
 * Learns what other servers store of calls that are in memory here, and which of their calls are for a stream
 * here. Reads the store where messages may be lost.
 */
export const watchOtherServers = (runner: Runner, machinesHere: () => string[]): (() => void) => {
  const { bus, server, stores, streams, onError } = runner;
  const deliverSoon = (requestId: string) => void deliver(runner, requestId).catch(onError);
  const refreshSoon = (requestId: string, rev: number) => {
    const call = runner.held.get(requestId);
    if (call) runner.queue.run(requestId, () => refresh(runner, call, rev)).catch(onError);
  };
  const poll = async () => {
    for (const { requestId, rev } of await stores.calls.revisions(runner.held.ids()))
      refreshSoon(requestId, rev);
    for (const requestId of await stores.calls.openOf(machinesHere(), 'pending')) deliverSoon(requestId);
  };
  const cancels = [
    bus.subscribe('all', (message) => {
      if (message.type === 'call-stored') refreshSoon(message.requestId, message.rev);
    }).stop,
    server.subscribe((message) => {
      if (message.type === 'deliver-call') deliverSoon(message.requestId);
      if (message.type !== 'stop-call') return;
      const { machineId, requestId, reason } = message;
      streams.write(machineId, { type: 'tool-call-cancel', payload: { requestId, reason } });
    }).stop,
    bus.onGap(() => void poll().catch(onError)),
    server.onRound(poll),
  ];
  return () => {
    for (const cancel of cancels) cancel();
  };
};
