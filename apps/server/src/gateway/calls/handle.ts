import type { Call, CallEvent, CallSummary } from '@drawbridge/contracts/calls';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { watchTopic, type Bus, type Subscription } from '../bus.ts';
import { toCall, type CallRecord } from './call.ts';
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

/** Looks at the call with each message of it, and where one may be missing. */
const watchEvents = (
  { clock, bus }: Waiting,
  { record: { userId, requestId } }: OpenCall['data'],
  { onProgress, look }: { onProgress: WaitOptions['onProgress']; look(): void },
): Subscription => {
  const { ready, stop } = watchTopic(
    bus,
    { topic: `user:${userId}`, type: 'call-changed' },
    ({ event }) => {
      if (event.type === 'call' && event.call.requestId === requestId) look();
      if (event.type === 'progress' && event.requestId === requestId) onProgress?.(event);
    },
    look,
  );
  const stopPolling = bus.pollMs === null ? () => {} : clock.every(bus.pollMs, look);
  return {
    ready,
    stop: () => {
      stop();
      stopPolling();
    },
  };
};

/** Sees each new state; asks again every 10 s while the user has not answered. */
const createAsking = ({ clock }: Waiting, { until, onAsked, there }: WaitOptions & { there(): void }) => {
  let rev = -1;
  let asked: CallSummary | null = null;
  const remind = () => {
    if (asked) onAsked?.(asked);
  };
  return {
    see: (call: CallSummary) => {
      if (call.rev <= rev) return;
      ({ rev } = call);
      asked = call.state === 'awaiting-confirmation' ? call : null;
      if (isThere(call, until)) there();
      else remind();
    },
    stop: onAsked ? clock.every(reminderEveryMs, remind) : () => {},
  };
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
    signal?.addEventListener('abort', over, { once: true });
    try {
      // A call of another server is seen by its row alone.
      if (!isHeld || onProgress || onAsked) {
        const asking = createAsking(ctx, { ...options, there: over });
        const look = () => void now().then(asking.see).catch(settled.reject);
        const events = watchEvents(ctx, call.data, { onProgress, look });
        ends.push(events.stop, asking.stop);
        events.ready.then(look, settled.reject);
      }
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
