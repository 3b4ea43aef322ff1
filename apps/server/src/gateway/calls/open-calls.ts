import { createKeyedQueue, createTransientMap, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { NewConfirmation } from '../confirmations/confirmation-row.ts';
import type { ConfirmationsStore } from '../confirmations/confirmations.store.ts';
import { dueAt, type CallEffect } from './call-state.ts';
import {
  hasFeature,
  isKnownToDaemon,
  requestDelivery,
  streamHere,
  writeCall,
  writeStop,
} from './delivery/delivery.ts';
import { readCallData } from './store/stored-call.ts';
import { insertCall, type InsertContext } from './delivery/insert-call.ts';
import { createMachineCalls } from './machine-calls.ts';
import { watchOtherServers } from './other-servers.ts';
import { nextCall, type CallData, type CallEvent, type Transition } from './transition.ts';
import type { CallWrite, StreamFence, TransitionsStore } from './store/transitions.store.ts';
import { createCallCounts } from './call-counts.ts';
import type { Bus } from '../bus.ts';
import type { CallRecord } from './call.ts';
import type { CallsStore } from './store/calls.store.ts';
import { durabilityOf, newCall, notifyWaiters, toOpenCall, type OpenCall, type Waiter } from './open-call.ts';

/** A call that is not stored yet; `claimKey`: the idempotency key that is claimed for it. */
export interface NewCall {
  record: CallRecord;
  claimKey: string | null;
}

/** What is open on a machine: calls at work, and calls that wait for an answer of the user. */
export interface OpenWork {
  calls: number;
  questions: number;
}

/** False when the event changed nothing. */
export type Step = (event: CallEvent) => Promise<boolean>;

export interface OpenCallsNeeds extends InsertContext {
  clock: Clock;
  bus: Bus;
  stores: {
    calls: Pick<CallsStore, 'byId' | 'revisions' | 'openOf'>;
    confirmations: Pick<ConfirmationsStore, 'ofCall'>;
    transitions: TransitionsStore;
  };
  /** The machines that have their stream on this server. */
  machinesHere(): string[];
  onChanged(record: CallRecord): void;
  onAsked(record: CallRecord, confirmation: NewConfirmation): void;
  onConfirmationClosed(confirmationId: string): void;
  onError(error: unknown): void;
}

/** How often an event is tried again after another server's write came first. */
const mostRetries = 5;

const fenced = (write: CallWrite, fence: StreamFence): CallWrite =>
  write.type === 'update-call' ? { ...write, fence } : write;

/** Runs the calls' state machine: stored first, then published. One event of a call at a time. */
export const createOpenCalls = (needs: OpenCallsNeeds) => {
  const { clock, limits, stores, streams, bus, onError } = needs;
  const calls = createTransientMap<string, OpenCall>();
  const counts = createCallCounts();
  const queue = createKeyedQueue();
  let stopped = false;

  /** Runs `job` while no other event of the call is processed. */
  const inTurn = <T>(call: OpenCall, job: (step: Step) => Promise<T>): Promise<T> =>
    queue.run(call.data.record.requestId, () => job((event) => step(call, event)));

  const isHeld = (call: OpenCall) => calls.get(call.data.record.requestId) === call;

  const arm = (call: OpenCall, ms?: number) => {
    call.cancelTimer();
    call.cancelTimer = () => {};
    const { state } = call.data;
    if (stopped || state.kind === 'ended' || !isHeld(call)) return;
    const due = async () => {
      try {
        // A timer of Node may run a millisecond before its time by the wall clock.
        if (!(await inTurn(call, (run) => run({ type: 'due', at: clock.now() })))) arm(call);
      } catch (error) {
        onError(error);
        arm(call, limits.storeRetryMs);
      }
    };
    call.cancelTimer = clock.after(ms ?? dueAt(state) - clock.now(), () => void due());
  };

  const next = ({ data, isUnstored }: OpenCall, event: CallEvent): Transition | null => {
    const epoch = needs.machine(data.record.machineId)?.info.epoch ?? null;
    return nextCall(data, event, { now: clock.now(), epoch, limits, isUnstored });
  };

  /** Part of a turn. Stored as delivered before it is on the wire: nothing is ever sent twice by mistake. */
  const send = async (call: OpenCall): Promise<void> => {
    const transition = await move(call, { type: 'dispatched', at: clock.now() });
    if (!transition)
      return call.data.state.kind === 'pending' ? requestDelivery(needs, call.data) : undefined;
    // Where another delivery came first, the daemon has the call already.
    if (!writeCall(needs, call.data, { again: !transition.changed })) await step(call, { type: 'kept-back' });
  };

  const perform = async (call: OpenCall, effect: CallEffect): Promise<void> => {
    switch (effect.type) {
      case 'dispatch':
        return send(call);
      case 'stop':
        return writeStop(needs, call.data, effect.reason);
      case 'close-confirmation':
        return;
      default:
        effect satisfies never;
    }
  };

  /** Takes over what is stored now, and publishes the call's state where it has changed. */
  const accept = (call: OpenCall, data: CallData, changed: boolean) => {
    call.data = data;
    arm(call);
    if (data.state.kind === 'ended') forget(call);
    notifyWaiters(call.waiters, data.state, data.record);
    if (changed) needs.onChanged(data.record);
  };

  const publish = ({ record }: CallData, writes: readonly CallWrite[]) => {
    for (const write of writes) {
      if (write.type === 'open-confirmation') needs.onAsked(record, write.confirmation);
      if (write.type === 'answer-confirmation') needs.onConfirmationClosed(write.answer.id);
      if (write.type === 'close-confirmation') needs.onConfirmationClosed(write.id);
    }
  };

  /** Another server has changed the call: what is stored counts. */
  const reload = async (call: OpenCall): Promise<void> => {
    const { record: before, state } = call.data;
    const record = await stores.calls.byId(before.requestId);
    if (record?.endedAt === null) {
      const silentUntil = clock.now() + limits.callTimeoutMs;
      const data = await readCallData(stores.confirmations, record, { silentUntil });
      if (data) return accept(call, data, data.state.kind !== state.kind);
    }
    const end = record ?? { ...before, state: 'lost' as const };
    const ended = { kind: 'ended', end: 'lost', error: null, started: end.started } as const;
    accept(call, { ...call.data, record: end, state: ended }, true);
  };

  const load = async (requestId: string): Promise<OpenCall | undefined> => {
    const record = await stores.calls.byId(requestId);
    if (record?.endedAt !== null) return undefined;
    const silentUntil = clock.now() + limits.callTimeoutMs;
    const data = await readCallData(stores.confirmations, record, { silentUntil });
    return data ? toOpenCall(data) : undefined;
  };

  const store = async (call: OpenCall, event: CallEvent): Promise<Transition | null> => {
    const { machineId } = call.data.record;
    for (let tries = 0; tries <= mostRetries; tries += 1) {
      const fence = event.type === 'dispatched' ? streamHere(needs, machineId) : undefined;
      if (fence === null) return null;
      const transition = next(call, event);
      if (!transition || transition.writes.length === 0) return transition;
      const writes = fence ? transition.writes.map((write) => fenced(write, fence)) : transition.writes;
      const applied = stores.transitions.apply(writes, durabilityOf(call, event, writes));
      applied.catch(() => (call.isUnstored ||= event.type === 'answered'));
      if (await applied) return transition;
      await reload(call);
      if (fence) await needs.refreshMachine(machineId);
    }
    throw errors.conflictingResult();
  };

  const move = async (call: OpenCall, event: CallEvent): Promise<Transition | null> => {
    const transition = await store(call, event);
    if (!transition) return null;
    const { data, writes, effects, changed } = transition;
    const heldHere = isHeld(call);
    accept(call, data, changed);
    publish(data, writes);
    const { requestId, rev } = data.record;
    if (!heldHere) bus.publish('all', { type: 'call-stored', requestId, rev });
    for (const effect of effects) await perform(call, effect);
    return transition;
  };

  const step = async (call: OpenCall, event: CallEvent) => (await move(call, event)) !== null;

  const hold = (data: CallData): OpenCall => {
    const call = toOpenCall(data);
    calls.set(data.record.requestId, call);
    counts.add(data.record);
    return call;
  };

  const forget = ({ data: { record } }: OpenCall) => {
    if (calls.delete(record.requestId)) counts.remove(record);
  };

  const insert = async (call: OpenCall, claimKey: string | null): Promise<void> => {
    const delivered = (made: CallData) =>
      next({ ...call, data: made }, { type: 'dispatched', at: clock.now() })?.data ?? made;
    const { fence, isWritten } = await insertCall(needs, { call, claimKey, delivered });
    needs.onChanged(call.data.record);
    arm(call);
    if (!fence) return send(call);
    if (!isWritten) await step(call, { type: 'kept-back' });
  };

  const ofMachine = createMachineCalls({
    bus,
    store: stores.calls,
    streams,
    queue,
    openCalls: calls,
    load,
    onError,
  });

  const resend = async (call: OpenCall) => {
    const resumes =
      hasFeature(needs, call.data.record.machineId, 'resume') && isKnownToDaemon(needs, call.data);
    const again = call.data.state.kind === 'delivered' && resumes;
    if (call.data.state.kind === 'pending' || again) await send(call);
  };

  /** Takes over what another server has stored of a call, and does here what that server could not. */
  const refresh = async (call: OpenCall, rev: number): Promise<void> => {
    if (call.data.record.rev >= rev) return;
    const before = call.data.state.kind;
    await reload(call);
    const { state, record } = call.data;
    if (state.kind === 'pending') return send(call);
    const isStopped = record.state === 'cancelled' || record.state === 'timed-out';
    if (state.kind !== 'ended' || before !== 'delivered' || !isStopped || record.answerDigest !== null)
      return;
    writeStop(needs, call.data, record.state === 'timed-out' ? 'timeout' : 'user');
  };

  /** Another server has made a call whose machine has its stream here. */
  const deliver = async (requestId: string): Promise<void> => {
    const call = calls.get(requestId) ?? (await load(requestId));
    if (!call || !streamHere(needs, call.data.record.machineId)) return;
    await queue.run(requestId, async () => {
      if (!isHeld(call)) await reload(call);
      if (call.data.state.kind === 'pending') await send(call);
    });
  };

  const unsubscribe = watchOtherServers({
    clock,
    bus,
    store: stores.calls,
    openIds: () => [...calls.keys()],
    machinesHere: needs.machinesHere,
    deliver: (requestId) => deliver(requestId).catch(onError),
    stop: ({ machineId, requestId, reason }) =>
      void streams.write(machineId, { type: 'tool-call-cancel', payload: { requestId, reason } }),
    refresh: (requestId, rev) => {
      const call = calls.get(requestId);
      if (call) queue.run(requestId, () => refresh(call, rev)).catch(onError);
    },
    onError,
  });

  return {
    find: (requestId: string): OpenCall | undefined => calls.get(requestId),
    /**
     * The same, else as it is stored: its caller waits on another server. Undefined for one that has ended.
     */
    open: async (requestId: string): Promise<OpenCall | undefined> => calls.get(requestId) ?? load(requestId),
    /** The number of open calls. */
    count: counts.of,
    /** The open calls of a user, oldest first. */
    of: (userId: string): OpenCall[] =>
      [...calls.values()].filter(({ data }) => data.record.userId === userId),
    /**
     * Stores a new call and sends it when its machine has a stream. Throws `storeUnavailable` if its claim
     * has ended.
     */
    add: ({ record, claimKey }: NewCall, waiter: Waiter) => {
      const call = hold(newCall(record));
      call.waiters.add(waiter);
      return queue.run(record.requestId, () =>
        insert(call, claimKey).catch((error: unknown) => {
          forget(call);
          throw error;
        }),
      );
    },
    /** Resumes a call of before the restart. */
    recover: (data: CallData) => arm(hold(data)),
    inTurn,
    /** The machine has a stream: sends what waits for it. */
    attached: (machineId: string) =>
      void (stopped || ofMachine.eachInOrder(machineId, resend).catch(onError)),
    /** Another daemon replaced the machine's: ends the calls that only the former one could finish. */
    replaced: (machineId: string) =>
      void (
        stopped ||
        ofMachine
          .each(machineId, async (call) => {
            if (isHeld(call) || !isKnownToDaemon(needs, call.data)) await step(call, { type: 'replaced' });
          })
          .catch(onError)
      ),
    /** The machine is no longer connected. */
    gone: (machineId: string, explicit: boolean) =>
      void (
        stopped ||
        ofMachine.each(machineId, (call) => step(call, { type: 'disconnected', explicit })).catch(onError)
      ),
    /** Cancels the open calls of the machine, also those of other servers; resolves when they have ended. */
    cancelOf: (machineId: string, message: string): Promise<void> =>
      ofMachine.each(machineId, (call) => step(call, { type: 'cancelled', reason: 'user', message })),
    /** How many calls of the machine are open, and how many more wait for the user. */
    countOf: async (machineId: string): Promise<OpenWork> => {
      const open = { calls: 0, questions: 0 };
      await ofMachine.each(machineId, async ({ data: { state } }) => {
        if (state.kind === 'awaiting-confirmation') open.questions += 1;
        else if (state.kind !== 'ended') open.calls += 1;
      });
      return open;
    },
    /**
     * Cancels timers and rejects waiting callers; the calls stay as they are stored. Resolves when nothing is
     * written any more.
     */
    stop: async () => {
      stopped = true;
      unsubscribe();
      for (const call of calls.values()) {
        call.cancelTimer();
        for (const waiter of call.waiters) waiter.reject(errors.shuttingDown());
        call.waiters.clear();
      }
      await queue.settled();
    },
  };
};

export type OpenCalls = ReturnType<typeof createOpenCalls>;
