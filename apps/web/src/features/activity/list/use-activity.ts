import type { CallFilter, CallHistogram, CallSummary } from '@drawbridge/contracts/calls';
import { createTimer, type Clock } from '@drawbridge/kit';
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import { failureOf, useApi, useClock, type Api, type Failure } from '../../../api/index.ts';
import { newestFirst, useCallsStore, type CallsStore } from '../../calls/use-calls-store.ts';
import { selects, toInput, type ActivityFilter } from '../filter.ts';

const pageSize = 100;
/** Live calls are shown together, so that a burst costs one rendering. */
const showEveryMs = 150;
const countEveryMs = 5_000;

/** The loaded calls of a filter, page after page, and how many were made when. */
const createLoader = ({ api, clock, filter }: { api: Api; clock: Clock; filter: Ref<ActivityFilter> }) => {
  const calls = shallowRef<readonly CallSummary[]>([]);
  const cursor = ref<string | null>(null);
  const isLoaded = ref(false);
  const isLoading = ref(false);
  const failure = ref<Failure | null>(null);
  const histogram = shallowRef<CallHistogram | null>(null);
  /** The filter of the loaded list; a span in it stays where it was. */
  let input: CallFilter = {};
  let turn = 0;

  const add = (more: readonly CallSummary[]) => {
    const known = new Map(calls.value.map((call) => [call.requestId, call]));
    for (const call of more)
      if ((known.get(call.requestId)?.rev ?? 0) <= call.rev) known.set(call.requestId, call);
    calls.value = [...known.values()].sort(newestFirst);
  };

  const count = async () => {
    const own = turn;
    try {
      const counted = await api.calls.histogram.query(toInput(filter.value, clock.now()));
      if (own === turn) histogram.value = counted;
    } catch (error) {
      if (own === turn) failure.value ??= failureOf(error);
    }
  };

  const loadMore = async () => {
    if (isLoading.value || (isLoaded.value && cursor.value === null)) return;
    const own = turn;
    isLoading.value = true;
    try {
      const from = cursor.value === null ? {} : { cursor: cursor.value };
      const page = await api.calls.list.query({ ...input, ...from, limit: pageSize });
      if (own !== turn) return;
      add(page.calls);
      cursor.value = page.nextCursor;
      isLoaded.value = true;
      failure.value = null;
    } catch (error) {
      if (own === turn) failure.value = failureOf(error);
    } finally {
      if (own === turn) isLoading.value = false;
    }
  };

  const load = async () => {
    turn += 1;
    input = toInput(filter.value, clock.now());
    calls.value = [];
    cursor.value = null;
    isLoaded.value = false;
    isLoading.value = false;
    await Promise.all([loadMore(), count()]);
  };

  /** Drops all later answers. */
  const stop = () => {
    turn += 1;
  };
  const hasMore = computed(() => cursor.value !== null);
  const selected = () => input;
  const shown = { calls, histogram, failure, isLoaded, isLoading, hasMore, selected, loadMore };
  return { shown, add, count, load, stop };
};

/** Joins live calls to the loaded ones; while it is paused new ones are held, and shown ones still change. */
const createLive = (
  loader: ReturnType<typeof createLoader>,
  { clock, store }: { clock: Clock; store: CallsStore },
) => {
  const isPaused = ref(false);
  const held = shallowRef<readonly CallSummary[]>([]);
  const arrived = new Map<string, CallSummary>();
  const shows = createTimer(clock);
  const counts = createTimer(clock);

  const hold = (calls: readonly CallSummary[]) => {
    const waiting = new Map(held.value.map((call) => [call.requestId, call]));
    for (const call of calls) waiting.set(call.requestId, call);
    held.value = [...waiting.values()];
  };

  const show = () => {
    const shown = new Set(loader.shown.calls.value.map(({ requestId }) => requestId));
    const came = [...arrived.values()];
    arrived.clear();
    const changed = came.filter(({ requestId }) => shown.has(requestId));
    const fresh = came.filter((call) => !shown.has(call.requestId) && selects(loader.shown.selected(), call));
    if (isPaused.value) hold(fresh);
    const joining = isPaused.value ? changed : [...changed, ...fresh];
    if (joining.length > 0) loader.add(joining);
    if (fresh.length > 0 && !counts.isWaiting()) counts.start(countEveryMs, () => void loader.count());
  };

  const unwatch = store.watchCalls((call) => {
    arrived.set(call.requestId, call);
    if (!shows.isWaiting()) shows.start(showEveryMs, show);
  });
  const drop = () => {
    arrived.clear();
    held.value = [];
  };
  const stop = () => {
    unwatch();
    shows.cancel();
    counts.cancel();
  };
  const resume = () => {
    isPaused.value = false;
    loader.add(held.value);
    held.value = [];
  };
  const pause = () => {
    isPaused.value = true;
  };
  return { isPaused, heldCount: computed(() => held.value.length), pause, resume, drop, stop };
};

/** The calls of a filter, newest first, which live calls join until they are paused. */
export const useActivity = (filter: Ref<ActivityFilter>) => {
  const clock = useClock();
  const loader = createLoader({ api: useApi(), clock, filter });
  const { drop, stop, ...live } = createLive(loader, { clock, store: useCallsStore() });
  const load = () => {
    drop();
    return loader.load();
  };
  onScopeDispose(() => {
    loader.stop();
    stop();
  });
  watch(filter, load, { immediate: true });
  return { ...loader.shown, ...live, load };
};

export type Activity = ReturnType<typeof useActivity>;
