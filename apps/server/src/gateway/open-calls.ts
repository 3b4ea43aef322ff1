import type { DaemonEvent } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import {
  dueAt,
  nextCall,
  type CallEffect,
  type CallMachineEvent,
  type CallMachineState,
  type OpenCallState,
} from './call-state.ts';
import { createCallCounts, type Caller } from './call-counts.ts';
import type { CallRecord } from './call-record.ts';
import type { CallsStore } from './calls.store.ts';
import type { GatewayLimits } from './limits.ts';
import type { Port } from './port.ts';
import type { Machine } from './registry.ts';
import { closingOf, nextRecord, type Brought } from './next-record.ts';
import { isReading } from './reading-tools.ts';
import { requestFrame } from './request-frame.ts';
import { createTurns } from './turns.ts';
import { tellWaiters, type Waiter } from './waiters.ts';

/** A call that has not ended: its record, where it stands, and who waits for it. */
export interface OpenCall {
  record: CallRecord;
  state: CallMachineState;
  /** Its tool only reads: what it does and gives need not wait for a sync of the disk. */
  readonly reads: boolean;
  /** Digests of questions that were asked and name themselves (`askId`). */
  readonly asked: Set<string>;
  /** What the call's decision answers, and how far it goes. */
  answered: { askId: string | null; reach: string | null };
  readonly waiters: Set<Waiter>;
  stopTimer(): void;
}

/** What an event brings beside the change of state, and how it is written down when not in the usual way. */
export interface StepDetails extends Brought {
  /** The JSON of the result, where it has been made already. */
  resultText?: string | null;
  save?(record: CallRecord): Promise<void>;
  /** Runs once it is written down, before anything follows from it. */
  onSaved?(): void;
}

/** Runs the calls' state machine: written down first, then done. One event of a call at a time. */
export interface OpenCalls {
  find(requestId: string): OpenCall | undefined;
  /** How many are open. */
  count(caller: Caller): number;
  /** Those of a user, oldest first. */
  of(userId: string): OpenCall[];
  /** Writes a new call down and sends it when its machine has a stream. */
  add(record: CallRecord, waiter: Waiter): Promise<void>;
  /** Takes up a call of before the restart. */
  takeUp(record: CallRecord, state: OpenCallState): OpenCall;
  /** Does what `job` does while no other event of the call is worked on. */
  inTurn<T>(call: OpenCall, job: (step: Step) => Promise<T>): Promise<T>;
  /** Lets timers and waiting callers go; the calls stay as they are written down. Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

/** False when the event changed nothing. */
export type Step = (event: CallMachineEvent, details?: StepDetails) => Promise<boolean>;

export interface OpenCallsNeeds {
  clock: Clock;
  limits: GatewayLimits;
  store: CallsStore;
  port: Port;
  machine(id: string): Machine | undefined;
  onChanged(record: CallRecord): void;
  onConfirmationClosed(confirmationId: string): void;
  onError(error: unknown): void;
}

const initialState = (record: CallRecord): OpenCallState => ({
  kind: 'pending',
  endsAt: record.endsAt,
  given: false,
  decision: null,
});

export const createOpenCalls = (needs: OpenCallsNeeds): OpenCalls => {
  const { clock, limits, store, port, onError } = needs;
  const calls = new Map<string, OpenCall>();
  const counts = createCallCounts();
  const turns = createTurns();
  let stopped = false;

  const isOnline = (machineId: string) => needs.machine(machineId)?.connection.kind === 'online';
  const hasFeature = (machineId: string, feature: string) =>
    needs.machine(machineId)?.info.daemon?.features.includes(feature) ?? false;

  /** Whether the daemon that is here now knows of the call, when it was given to any. */
  const isWithPresent = ({ record }: OpenCall) =>
    record.epoch === null || record.epoch >= (needs.machine(record.machineId)?.info.resumesFrom ?? 0);

  const inTurn = <T>(call: OpenCall, job: (step: Step) => Promise<T>): Promise<T> =>
    turns.run(call.record.requestId, () => job((event, details) => step(call, event, details)));

  const arm = (call: OpenCall, ms?: number) => {
    call.stopTimer();
    call.stopTimer = () => {};
    if (stopped || call.state.kind === 'ended') return;
    const due = () => {
      inTurn(call, (run) => run({ type: 'due', at: clock.now() })).catch((error: unknown) => {
        onError(error);
        arm(call, limits.storeRetryMs);
      });
    };
    call.stopTimer = clock.after(ms ?? dueAt(call.state) - clock.now(), due);
  };

  const recordAfter = (call: OpenCall, state: CallMachineState, details: StepDetails): CallRecord => {
    const epoch = needs.machine(call.record.machineId)?.info.epoch ?? null;
    return nextRecord(call.record, state, { ...details, at: clock.now(), epoch });
  };

  const frame = (call: OpenCall, again: boolean): DaemonEvent => {
    const known = needs.machine(call.record.machineId)?.info.daemon !== null;
    return requestFrame(call, { again, timeoutMs: known ? limits.callTimeoutMs : null });
  };

  /** Part of a turn. Written down as delivered before it is on the wire: nothing is ever sent twice by mistake. */
  const send = async (call: OpenCall): Promise<void> => {
    if (!isOnline(call.record.machineId)) return;
    const again = call.state.kind === 'delivered';
    await step(call, { type: 'dispatched', at: clock.now() });
    if (call.state.kind !== 'delivered') return;
    if (!(await port.write(call.record.machineId, frame(call, again))))
      await step(call, { type: 'kept-back' });
  };

  const perform = async (call: OpenCall, effect: CallEffect): Promise<void> => {
    switch (effect.type) {
      case 'dispatch':
        return send(call);
      case 'stop': {
        const { requestId, machineId } = call.record;
        if (!hasFeature(machineId, 'cancel') || !isWithPresent(call)) return;
        await port.write(machineId, {
          type: 'tool-call-cancel',
          payload: { requestId, reason: effect.reason },
        });
        return;
      }
      case 'close-confirmation':
        return;
      default:
        effect satisfies never;
    }
  };

  const durability = (call: OpenCall) => (call.reads ? 'kept' : 'synced');

  const step = async (
    call: OpenCall,
    event: CallMachineEvent,
    details: StepDetails = {},
  ): Promise<boolean> => {
    const before = call.state;
    const { state, effects } = nextCall(before, event, limits);
    if (state === before) return false;
    const record = recordAfter(call, state, details);
    const close = closingOf(call.record, effects);
    const moved = state.kind !== before.kind;
    if (details.save) await details.save(record);
    else if (moved && state.kind !== 'ended') await store.move(record);
    else if (moved) {
      const beside = { closing: close, resultText: details.resultText ?? null };
      // Its caller hears after this, so that no restart makes another end of it. Where it fails, the daemon answers again.
      await store.end(record, durability(call), beside);
    }
    call.state = state;
    call.record = record;
    arm(call);
    if (state.kind === 'ended') {
      calls.delete(record.requestId);
      counts.remove(record);
    }
    tellWaiters(call.waiters, state, record);
    if (moved) needs.onChanged(record);
    details.onSaved?.();
    if (close) needs.onConfirmationClosed(close.id);
    for (const effect of effects) await perform(call, effect);
    return true;
  };

  const keep = (record: CallRecord, state: OpenCallState): OpenCall => {
    const call: OpenCall = {
      record,
      state,
      reads: isReading(record.tool),
      asked: new Set(),
      answered: { askId: null, reach: null },
      waiters: new Set(),
      stopTimer: () => {},
    };
    calls.set(record.requestId, call);
    counts.add(record);
    return call;
  };

  const drop = (call: OpenCall) => {
    calls.delete(call.record.requestId);
    counts.remove(call.record);
  };

  /** A call whose machine is online is written down as delivered at once: one write instead of two. */
  const insert = async (call: OpenCall): Promise<void> => {
    const online = isOnline(call.record.machineId);
    if (online) {
      call.state = nextCall(call.state, { type: 'dispatched', at: clock.now() }, limits).state;
      call.record = recordAfter(call, call.state, {});
    }
    const write = () => port.write(call.record.machineId, frame(call, false));
    const inserted = store.insert(call.record, durability(call));
    const early = online && call.reads ? write() : null;
    await inserted.catch((error: unknown) => {
      drop(call);
      throw error;
    });
    needs.onChanged(call.record);
    arm(call);
    if (!online) return send(call);
    if (!(await (early ?? write()))) await step(call, { type: 'kept-back' });
  };

  const eachOf = (machineId: string, job: (call: OpenCall) => Promise<unknown>) => {
    for (const call of [...calls.values()]) {
      if (call.record.machineId === machineId)
        turns.run(call.record.requestId, () => job(call)).catch(onError);
    }
  };

  const resend = async (call: OpenCall) => {
    const resumes = hasFeature(call.record.machineId, 'resume') && isWithPresent(call);
    const again = call.state.kind === 'delivered' && resumes;
    if (call.state.kind === 'pending' || again) await send(call);
  };

  /** One after the other, as the reader takes them: all at once would be more than a slow one may leave unread. */
  const resendAll = async (machineId: string) => {
    for (const call of [...calls.values()]) {
      if (call.record.machineId !== machineId) continue;
      await turns.run(call.record.requestId, () => resend(call)).catch(onError);
      await port.ready(machineId);
    }
  };

  const unlisten = port.listen((news) => {
    if (news.type === 'attached') void resendAll(news.machineId);
    if (news.type === 'replaced') eachOf(news.machineId, (call) => step(call, { type: 'replaced' }));
    if (news.type === 'gone') {
      eachOf(news.machineId, (call) => step(call, { type: 'disconnected', explicit: news.explicit }));
    }
  });

  return {
    find: (requestId) => calls.get(requestId),
    count: counts.of,
    of: (userId) => [...calls.values()].filter(({ record }) => record.userId === userId),
    add: (record, waiter) => {
      const call = keep(record, initialState(record));
      call.waiters.add(waiter);
      return turns.run(record.requestId, () => insert(call));
    },
    takeUp: (record, state) => {
      const call = keep(record, state);
      arm(call);
      return call;
    },
    inTurn,
    stop: async () => {
      stopped = true;
      unlisten();
      for (const call of calls.values()) {
        call.stopTimer();
        for (const waiter of call.waiters) waiter.reject(errors.shuttingDown());
        call.waiters.clear();
      }
      await turns.settled();
    },
  };
};
