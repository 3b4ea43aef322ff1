import { createKeyedQueue, sleep, type Clock } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';
import type { CallRecord } from '../call.ts';
import { dueAt, type CallEffect } from '../transition/call-state.ts';
import {
  hasFeature,
  isResumed,
  requestDelivery,
  streamHere,
  writeCall,
  writeStop,
  type DeliveryContext,
} from './delivery.ts';
import {
  createHeldCalls,
  durabilityOf,
  notifyWaiters,
  toOpenCall,
  type HeldCalls,
  type OpenCall,
} from './held-calls.ts';
import type { CallsStore } from '../store/calls.store.ts';
import type { SharedCallsStore } from '../store/shared-calls.store.ts';
import type { NewConfirmation } from '../store/confirmation-row.ts';
import type { ConfirmationsStore } from '../store/confirmations.store.ts';
import { readCallData } from './stored-call.ts';
import type { CallWrite, UpdateFence } from '../store/call-write.ts';
import type { TransitionsStore } from '../store/transitions.store.ts';
import { nextCall, type CallData, type CallEvent, type Transition } from '../transition/transition.ts';

export interface RunnerNeeds extends DeliveryContext {
  clock: Clock;
  stores: {
    calls: Pick<CallsStore, 'byId' | 'revisions' | 'openOf' | 'unacknowledged' | 'setAside'>;
    sharedCalls: SharedCallsStore;
    confirmations: Pick<ConfirmationsStore, 'ofCall'>;
    transitions: TransitionsStore;
  };
  /** Reads the machine again: another server has changed it. Resolves to when what was read held. */
  refreshMachine(id: string): Promise<number>;
  onChanged(record: CallRecord): void;
  onAsked(record: CallRecord, confirmation: NewConfirmation): void;
  onConfirmationClosed(confirmationId: string): void;
  onError(error: unknown): void;
}

/** What the steps of open calls work on: the calls in memory, and the turns of each. */
export interface Runner extends RunnerNeeds {
  held: HeldCalls;
  /** One event of a call at a time. */
  queue: ReturnType<typeof createKeyedQueue>;
  isStopping: boolean;
}

export const createRunner = (needs: RunnerNeeds): Runner => ({
  ...needs,
  held: createHeldCalls(),
  queue: createKeyedQueue(),
  isStopping: false,
});

/** False when the event changed nothing. */
export type Step = (event: CallEvent) => Promise<boolean>;

/** How often an event is tried again after another server's write came first. */
const mostRetries = 5;

/** Runs `job` while no other event of the call is processed. */
export const inTurn = <T>(runner: Runner, call: OpenCall, job: (step: Step) => Promise<T>): Promise<T> =>
  runner.queue.run(call.data.record.requestId, () => job((event) => step(runner, call, event)));

/** Another server may have received progress of the call, and stored a later deadline. */
const readDeadline = async ({ bus, stores }: Runner, call: OpenCall): Promise<void> => {
  const { state, record } = call.data;
  if (bus.pollMs === null || state.kind !== 'delivered') return;
  const stored = await stores.sharedCalls.dueAt(record.requestId);
  if (stored !== null && stored > state.deadlineAt)
    call.data = { ...call.data, state: { ...state, deadlineAt: stored } };
};

/** Waits for the deadline of the call's state, or for `ms`. */
export const arm = (runner: Runner, call: OpenCall, ms?: number): void => {
  const { clock, limits, onError } = runner;
  call.cancelTimer();
  call.cancelTimer = () => {};
  const { state } = call.data;
  if (runner.isStopping || state.kind === 'ended' || !runner.held.has(call)) return;
  const due = async () => {
    try {
      // A timer of Node may run a millisecond before its time by the wall clock.
      const isDue = await inTurn(runner, call, async (run) => {
        await readDeadline(runner, call);
        return run({ type: 'due', at: clock.now() });
      });
      if (!isDue) arm(runner, call);
    } catch (error) {
      onError(error);
      arm(runner, call, limits.storeRetryMs);
    }
  };
  call.cancelTimer = clock.after(ms ?? dueAt(state) - clock.now(), () => void due());
};

/** What an event would make of a call. */
export const next = (
  { clock, limits, machine }: Runner,
  { data, isUnstored }: Pick<OpenCall, 'data' | 'isUnstored'>,
  event: CallEvent,
): Transition | null => {
  const epoch = machine(data.record.machineId)?.info.epoch ?? null;
  return nextCall(data, event, { now: clock.now(), epoch, limits, isUnstored });
};

/** Takes over what is stored now, and publishes the call's state where it has changed. */
const accept = (runner: Runner, call: OpenCall, { data, changed }: Pick<Transition, 'data' | 'changed'>) => {
  call.data = data;
  arm(runner, call);
  if (data.state.kind === 'ended') runner.held.remove(call);
  notifyWaiters(call.waiters, data.state, data.record);
  if (changed) runner.onChanged(data.record);
};

const publish = (runner: Runner, { record }: CallData, writes: readonly CallWrite[]) => {
  for (const write of writes) {
    if (write.type === 'open-confirmation') runner.onAsked(record, write.confirmation);
    if (write.type === 'answer-confirmation') runner.onConfirmationClosed(write.answer.id);
    if (write.type === 'close-confirmation') runner.onConfirmationClosed(write.id);
  }
};

/** The open call of a stored record; null where a question of it cannot be read. */
const readOpen = (
  { clock, limits, stores }: Runner,
  record: CallRecord,
  silentUntil = clock.now() + limits.callTimeoutMs,
): Promise<CallData | null> => readCallData(stores.confirmations, record, { silentUntil });

/**
 * An open call that is not in memory here, by default as if its machine had just been heard; undefined for
 * one that has ended, or that cannot be read.
 */
export const load = async (
  runner: Runner,
  requestId: string,
  silentUntil?: number,
): Promise<OpenCall | undefined> => {
  const record = await runner.stores.calls.byId(requestId);
  if (record?.endedAt !== null) return undefined;
  const data = await readOpen(runner, record, silentUntil);
  return data ? toOpenCall(data) : undefined;
};

/** Another server has changed the call: what is stored counts. */
export const reload = async (runner: Runner, call: OpenCall): Promise<void> => {
  const { record: before, state } = call.data;
  const record = await runner.stores.calls.byId(before.requestId);
  if (record?.endedAt === null) {
    const data = await readOpen(runner, record);
    if (data) return accept(runner, call, { data, changed: data.state.kind !== state.kind });
  }
  const end = record ?? { ...before, state: 'lost' as const };
  const ended = { kind: 'ended', end: 'lost', error: null, started: end.started } as const;
  accept(runner, call, { data: { ...call.data, record: end, state: ended }, changed: true });
};

/**
 * What the write of an event requires of the machine; null where it does not hold. A newer stream has sent
 * again what was delivered, to a daemon that resumes, and that daemon asks about it itself.
 */
const fenceOf = (
  runner: Runner,
  { data: { record } }: OpenCall,
  event: CallEvent,
): UpdateFence | null | undefined => {
  const { machineId } = record;
  if (event.type === 'dispatched') return streamHere(runner, machineId);
  if (!hasFeature(runner, machineId, 'resume')) return undefined;
  const info = runner.machine(machineId)?.info;
  if (event.type === 'asked')
    return info !== undefined && info.epoch <= event.epoch ? { askedIn: event.epoch } : null;
  if (event.type !== 'unsent') return undefined;
  const { stream } = event;
  return info?.stream === stream ? { stream } : null;
};

const fenced = (write: CallWrite, fence: UpdateFence): CallWrite =>
  write.type === 'update-call' ? { ...write, fence } : write;

/**
 * The caller of what only read has its result while the end is stored; others read it from the store. The
 * daemon is told afterwards, and posts it again to a server that was killed before. Alone on the store only.
 */
const answerAhead = (
  { held, bus }: Runner,
  call: OpenCall,
  { transition, applied }: { transition: Transition; applied: Promise<boolean> },
) => {
  if (bus.pollMs !== null || !held.has(call)) return;
  notifyWaiters(call.waiters, transition.data.state, transition.data.record);
  held.remove(call);
  const putBack = () => held.put(call);
  void applied.then((isApplied) => isApplied || putBack(), putBack);
};

/** Stores the transition of an event; null where it changes nothing. */
const store = async (runner: Runner, call: OpenCall, event: CallEvent): Promise<Transition | null> => {
  const { machineId } = call.data.record;
  for (let tries = 0; tries <= mostRetries; tries += 1) {
    const fence = fenceOf(runner, call, event);
    if (fence === null) return null;
    const transition = next(runner, call, event);
    if (!transition || transition.writes.length === 0) return transition;
    const writes = fence ? transition.writes.map((write) => fenced(write, fence)) : transition.writes;
    const durability = durabilityOf(call, event, writes);
    const applied = runner.stores.transitions.apply(writes, durability);
    if (durability === 'trailing') answerAhead(runner, call, { transition, applied });
    applied.catch(() => (call.isUnstored ||= event.type === 'answered'));
    if (await applied) return transition;
    await reload(runner, call);
    if (fence) await runner.refreshMachine(machineId);
  }
  throw errors.conflictingResult();
};

const perform = async (runner: Runner, call: OpenCall, effect: CallEffect): Promise<void> => {
  switch (effect.type) {
    case 'dispatch':
      return send(runner, call);
    case 'stop':
      return writeStop(runner, call.data, effect.reason);
    case 'close-confirmation':
      return;
    default:
      effect satisfies never;
  }
};

/** Its machine works on the call: stored for the servers that would end it for its silence. */
const prolong = ({ bus, stores, onError }: Runner, { record, state }: CallData) => {
  if (bus.pollMs === null || state.kind === 'ended') return;
  stores.sharedCalls.prolong(record.requestId, dueAt(state)).catch(onError);
};

/** Stored first, then published, then its effects. */
const move = async (runner: Runner, call: OpenCall, event: CallEvent): Promise<Transition | null> => {
  const heldHere = runner.held.has(call);
  const transition = await store(runner, call, event);
  if (!transition) return null;
  const { data, writes, effects } = transition;
  accept(runner, call, transition);
  publish(runner, data, writes);
  if (event.type === 'progressed') prolong(runner, data);
  const { requestId, rev } = data.record;
  if (!heldHere) runner.bus.publish('all', { type: 'call-stored', requestId, rev });
  for (const effect of effects) await perform(runner, call, effect);
  return transition;
};

/** Runs one event. Part of a turn. */
export const step = async (runner: Runner, call: OpenCall, event: CallEvent): Promise<boolean> =>
  (await move(runner, call, event)) !== null;

/** Longer than this after its fence was checked, a machine may have a stream at another server. */
const fenceHoldsMs = 500;

/**
 * Reads the machine again, which closes its stream here if another server has a newer one. Waits for the
 * store as long as the stream is here: nothing is written on one that may have ended.
 */
export const checkFence = async (
  runner: Runner,
  machineId: string,
  checkedAt: number | null,
): Promise<void> => {
  const { bus, clock, limits, onError } = runner;
  if (bus.pollMs === null) return;
  // A server that is suspended while it reads has read what held before.
  let heldAt = checkedAt ?? Number.NEGATIVE_INFINITY;
  while (clock.now() - heldAt > fenceHoldsMs && streamHere(runner, machineId) && !runner.isStopping) {
    const askedAt = clock.now();
    try {
      // Two lower bounds: the store may be slow to begin, or slow to answer.
      heldAt = Math.max(askedAt, await runner.refreshMachine(machineId));
    } catch (error) {
      onError(error);
      await sleep(clock, limits.storeRetryMs);
    }
  }
};

/** Part of a turn. Stored as delivered before it is on the wire: nothing is ever sent twice by mistake. */
export const send = async (runner: Runner, call: OpenCall): Promise<void> => {
  const { machineId } = call.data.record;
  const stream = streamHere(runner, machineId)?.stream ?? 0;
  const at = runner.clock.now();
  const transition = await move(runner, call, { type: 'dispatched', at });
  if (!transition) return call.data.state.kind === 'pending' ? requestDelivery(runner, call.data) : undefined;
  await checkFence(runner, machineId, transition.writes.length > 0 ? at : null);
  // Another server has delivered it meanwhile, perhaps to a daemon that is gone.
  if (!transition.changed && !isResumed(runner, call.data)) return;
  const isWritten = writeCall(runner, call.data, { again: !transition.changed });
  // Where another delivery came first, the daemon has the call already, written again or not.
  if (!isWritten && transition.changed) await step(runner, call, { type: 'unsent', stream });
};
