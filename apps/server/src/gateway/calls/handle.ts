import type { Call, CallEvent, CallSummary } from '@drawbridge/contracts/calls';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Bus } from '../bus.ts';
import { toCall, toSummary, type CallRecord } from './call.ts';
import type { OpenCall } from './runner/held-calls.ts';
import type { OpenCalls } from './runner/open-calls.ts';
import type { CallsStore } from './store/calls.store.ts';

/** The interval of reminders while the user has not answered. */
const reminderEveryMs = 10_000;

type Progress = Extract<CallEvent, { type: 'progress' }>;

export interface WaitOptions {
  /** `ended`, the default: until a terminal state. `asked`: also until the user is asked. */
  until?: 'ended' | 'asked';
  /** The maximum wait, in milliseconds. */
  waitMs?: number | undefined;
  /** Ends the wait, not the call. */
  signal?: AbortSignal | undefined;
  onProgress?: ((event: Progress) => void) | undefined;
  /** Called when the user is asked, and every 10 s until they answer. */
  onAsked?: ((call: CallSummary) => void) | undefined;
}

/** One call: its id, and a way to wait for what happens to it, as often as one likes. */
export interface CallHandle {
  requestId: string;
  /**
   * Resolves with the call as it is once it is there, the time is over or the signal aborts. Rejects with
   * `shuttingDown`.
   */
  wait(options: WaitOptions): Promise<Call>;
  /** As `wait`, for the maker of the call: when the signal aborts, the call is cancelled. */
  waitOrCancel(options: WaitOptions): Promise<Call>;
}

/** Cancels a call; one that has ended stays as it is. */
export const cancelCall = async (
  openCalls: OpenCalls,
  requestId: string,
  reason: 'user' | 'caller',
): Promise<void> => {
  const call = await openCalls.open(requestId);
  if (call) await openCalls.inTurn(call, (step) => step({ type: 'cancelled', reason }));
};

/** What a wait needs. */
interface Waiting {
  clock: Clock;
  bus: Bus;
  openCalls: OpenCalls;
  store: Pick<CallsStore, 'byId'>;
}

const isThere = (
  { state, endedAt }: Pick<CallSummary, 'state' | 'endedAt'>,
  until: WaitOptions['until'] = 'ended',
) => endedAt !== null || (until === 'asked' && state === 'awaiting-confirmation');

/** What the user sees of the call, passed on; calls `there` once the wait is over. */
const watchEvents = (
  { clock, bus }: Waiting,
  { record }: OpenCall['data'],
  { onProgress, onAsked, until, there }: WaitOptions & { there(): void },
): (() => void)[] => {
  const { userId, requestId } = record;
  let asked: CallSummary | null = null;
  const remind = () => {
    if (asked) onAsked?.(asked);
  };
  const update = (call: CallSummary) => {
    asked = call.state === 'awaiting-confirmation' ? call : null;
    if (isThere(call, until)) there();
    else remind();
  };
  const subscription = bus.subscribe(`user:${userId}`, (message) => {
    if (message.type !== 'call-changed') return;
    const { event } = message;
    if (event.type === 'call' && event.call.requestId === requestId) update(event.call);
    if (event.type === 'progress' && event.requestId === requestId) onProgress?.(event);
  });
  update(toSummary(record));
  return onAsked ? [subscription.stop, clock.every(reminderEveryMs, remind)] : [subscription.stop];
};

/** The handle of a call; `call` is undefined for one that has ended. */
export const createHandle = (ctx: Waiting, requestId: string, call: OpenCall | undefined): CallHandle => {
  const now = async (): Promise<Call> => {
    const record = ctx.openCalls.find(requestId)?.data.record ?? (await ctx.store.byId(requestId));
    if (!record) throw errors.notFound();
    return toCall(record);
  };

  const wait = async (options: WaitOptions): Promise<Call> => {
    const { until = 'ended', waitMs, signal, onProgress, onAsked } = options;
    if (!call || waitMs === 0 || signal?.aborted === true) return now();
    const settled = Promise.withResolvers<CallRecord | null>();
    const over = () => settled.resolve(null);
    const isHeld = ctx.openCalls.find(requestId) === call;
    const ends = [ctx.openCalls.watch(call, { until, ...settled })];
    if (waitMs !== undefined) ends.push(ctx.clock.after(waitMs, over));
    // A call of another server is seen by its events alone.
    if (!isHeld || onProgress || onAsked)
      ends.push(...watchEvents(ctx, call.data, { ...options, there: over }));
    signal?.addEventListener('abort', over, { once: true });
    try {
      // What another server has stored meanwhile came before its events were watched.
      if (!isHeld && isThere(await now(), until)) over();
      const record = await settled.promise;
      return record ? toCall(record) : await now();
    } finally {
      signal?.removeEventListener('abort', over);
      for (const end of ends) end();
    }
  };
  const waitOrCancel = async (options: WaitOptions): Promise<Call> => {
    const there = await wait(options);
    if (options.signal?.aborted !== true || there.endedAt !== null) return there;
    await cancelCall(ctx.openCalls, requestId, 'caller');
    return now();
  };
  return { requestId, wait, waitOrCancel };
};
