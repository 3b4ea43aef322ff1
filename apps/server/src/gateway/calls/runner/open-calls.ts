import type { CallVia } from '@drawbridge/contracts/calls';
import { errors } from '../../../errors.ts';
import type { MachineChange } from '../../connection/dispatch.ts';
import type { CallRecord } from '../call.ts';
import { isKnownToDaemon } from './delivery.ts';
import { endOverdue } from './end-overdue.ts';
import { eachOf, resendCancellations, resendWaiting } from './of-machine.ts';
import { newCall, notifyWaiters, type OpenCall, type Waiter } from './held-calls.ts';
import { insert } from './insert.ts';
import { watchOtherServers } from './other-servers.ts';
import {
  arm,
  createRunner,
  inTurn,
  load,
  reload,
  step,
  type Runner,
  type RunnerNeeds,
  type Step,
} from './runner.ts';
import type { CallWrite } from '../store/call-write.ts';
import type { CallData } from '../transition/transition.ts';

/** A token or a client that calls come through, whatever its name. */
export type CallMaker = Pick<CallVia, 'kind' | 'id'>;

/** A call that is not stored yet, and what is written with it. */
export interface NewCall {
  record: CallRecord;
  conditions: readonly CallWrite[];
}

/** What is open on a machine: calls at work, and calls that wait for an answer of the user. */
export interface OpenWork {
  calls: number;
  questions: number;
}

/** What follows for the calls of a machine. */
const machineChanged = (runner: Runner, { machineId, ...change }: MachineChange): void => {
  if (runner.isStopping) return;
  switch (change.type) {
    case 'attached':
      void resendWaiting(runner, machineId).catch(runner.onError);
      return void resendCancellations(runner, machineId).catch(runner.onError);
    // Another daemon speaks for it: ends the calls that only the former one could finish.
    case 'replaced':
      return void eachOf(runner, machineId, async (call) => {
        if (runner.held.has(call) || !isKnownToDaemon(runner, call.data.record))
          await step(runner, call, { type: 'replaced' });
      }).catch(runner.onError);
    case 'gone': {
      const { why } = change;
      return void eachOf(runner, machineId, (call) =>
        step(runner, call, { type: 'disconnected', why }),
      ).catch(runner.onError);
    }
    default:
      change satisfies never;
  }
};

/** How many calls of a machine are open, and how many more wait for the user. */
const countOf = async (runner: Runner, machineId: string): Promise<OpenWork> => {
  const open = { calls: 0, questions: 0 };
  await eachOf(runner, machineId, async ({ data: { state } }) => {
    if (state.kind === 'awaiting-confirmation') open.questions += 1;
    else if (state.kind !== 'ended') open.calls += 1;
  });
  return open;
};

/**
 * Stores a new call and sends it when its machine has a stream; forgets it where it could not be stored. One
 * whose id exists is followed; undefined where it has ended.
 */
const add = async (runner: Runner, { record, conditions }: NewCall): Promise<OpenCall | undefined> => {
  const { requestId } = record;
  const there = runner.held.get(requestId);
  if (there) return there;
  const call = runner.held.add(newCall(record));
  try {
    if (await runner.queue.run(requestId, () => insert(runner, call, conditions))) return call;
  } catch (error) {
    runner.held.remove(call);
    for (const waiter of call.waiters) waiter.reject(error);
    throw error;
  }
  runner.held.remove(call);
  return load(runner, requestId);
};

/** The open calls of one token or client. */
const ofMaker = async ({ held, bus, stores }: Runner, maker: { userId: string; via: CallMaker }) => {
  const { userId, via } = maker;
  if (bus.pollMs !== null) return stores.sharedCalls.ofMaker(maker);
  return held.all().flatMap(({ data: { record } }) => {
    const isMeant = record.userId === userId && record.via?.kind === via.kind && record.via.id === via.id;
    return isMeant ? [record.requestId] : [];
  });
};

/** Calls the waiter once the call is where it waits for; until then the returned function ends the wait. */
const watch = (runner: Runner, call: OpenCall, waiter: Waiter): (() => void) => {
  call.waiters.add(waiter);
  notifyWaiters(call.waiters, call.data.state, call.data.record);
  if (runner.isStopping && call.waiters.delete(waiter)) waiter.reject(errors.shuttingDown());
  return () => void call.waiters.delete(waiter);
};

/** Resolves when nothing is written any more. */
const stop = async (runner: Runner): Promise<void> => {
  runner.isStopping = true;
  for (const call of runner.held.all()) {
    call.cancelTimer();
    for (const waiter of call.waiters) waiter.reject(errors.shuttingDown());
    call.waiters.clear();
  }
  await runner.queue.settled();
};

/** The calls that have not ended: made, moved by what happens to them, and waited for. */
export const createOpenCalls = (needs: RunnerNeeds) => {
  const runner = createRunner(needs);
  const { held } = runner;
  const unsubscribe = watchOtherServers(runner);
  return {
    find: held.get,
    /**
     * The same, else as it is stored: its caller waits on another server. Undefined for one that has ended.
     */
    open: async (requestId: string): Promise<OpenCall | undefined> =>
      held.get(requestId) ?? load(runner, requestId),
    /** Part of the call's turn: what is stored counts. */
    reload: (call: OpenCall): Promise<void> => reload(runner, call),
    /** The number of open calls. */
    count: held.count,
    /** The state of each open call in the memory of this server. */
    states: (): string[] => held.all().map(({ data }) => data.state.kind),
    /** The ids of the open calls that came through one token or client. */
    ofMaker: (userId: string, via: CallMaker): Promise<string[]> => ofMaker(runner, { userId, via }),
    /** Throws `storeUnavailable` if its claim has ended. */
    add: (made: NewCall) => add(runner, made),
    watch: (call: OpenCall, waiter: Waiter) => watch(runner, call, waiter),
    /** Resumes a call of before the restart. */
    recover: (data: CallData) => arm(runner, held.add(data)),
    inTurn: <T>(call: OpenCall, job: (step: Step) => Promise<T>) => inTurn(runner, call, job),
    machineChanged: (change: MachineChange) => machineChanged(runner, change),
    /** Ends the calls whose time is over and that no server has ended. */
    sweep: () => endOverdue(runner),
    /** Cancels the open calls of the machine, also those of other servers; resolves when they have ended. */
    cancelOf: (machineId: string, message: string): Promise<void> =>
      eachOf(runner, machineId, (call) => step(runner, call, { type: 'cancelled', reason: 'user', message })),
    countOf: (machineId: string) => countOf(runner, machineId),
    /** Cancels timers and rejects waiting callers; the calls stay as they are stored. */
    stop: () => {
      unsubscribe();
      return stop(runner);
    },
  };
};

export type OpenCalls = ReturnType<typeof createOpenCalls>;
