import type { CallFilter, CallHistogram, CallSummary } from '@drawbridge/contracts/calls';
import { createTimer } from '@drawbridge/kit';
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import { failureOf, useApi, useClock, type Failure } from '../../../api/index.ts';
import { selects, toInput, type ActivityFilter } from '../filter.ts';
import { useCallsStore } from '../use-calls-store.ts';

const pageSize = 100;
/** Live calls are shown together, so that a burst costs one rendering. */
const showEveryMs = 150;
const countEveryMs = 5_000;

const byAge = (a: CallSummary, b: CallSummary) =>
  b.createdAt.localeCompare(a.createdAt) || b.requestId.localeCompare(a.requestId);

/** The calls of a filter, newest first, which live calls join until they are paused. */
export const useActivity = (filter: Ref<ActivityFilter>) => {
  const api = useApi();
  const clock = useClock();
  const store = useCallsStore();
  const calls = shallowRef<readonly CallSummary[]>([]);
  const cursor = ref<string | null>(null);
  const isLoaded = ref(false);
  const isLoading = ref(false);
  const failure = ref<Failure | null>(null);
  const isPaused = ref(false);
  const held = shallowRef<readonly CallSummary[]>([]);
  const histogram = shallowRef<CallHistogram | null>(null);
  /** The filter of the loaded list; a span in it stays where it was. */
  let input: CallFilter = {};
  let turn = 0;
  const arrived = new Map<string, CallSummary>();
  const shows = createTimer(clock);
  const counts = createTimer(clock);

  const add = (more: readonly CallSummary[]) => {
    const known = new Map(calls.value.map((call) => [call.requestId, call]));
    for (const call of more) known.set(call.requestId, call);
    calls.value = [...known.values()].sort(byAge);
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
    held.value = [];
    arrived.clear();
    cursor.value = null;
    isLoaded.value = false;
    isLoading.value = false;
    await Promise.all([loadMore(), count()]);
  };

  /** Shows what has come: changes of shown calls in any case, new ones unless the list is paused. */
  const show = () => {
    const shown = new Set(calls.value.map(({ requestId }) => requestId));
    const came = [...arrived.values()];
    arrived.clear();
    const changed = came.filter(({ requestId }) => shown.has(requestId));
    const fresh = came.filter((call) => !shown.has(call.requestId) && selects(input, call));
    if (isPaused.value) {
      const waiting = new Map(held.value.map((call) => [call.requestId, call]));
      for (const call of fresh) waiting.set(call.requestId, call);
      held.value = [...waiting.values()];
    }
    const joining = isPaused.value ? changed : [...changed, ...fresh];
    if (joining.length > 0) add(joining);
    if (fresh.length > 0 && !counts.isWaiting()) counts.start(countEveryMs, () => void count());
  };

  const stop = store.watchCalls((call) => {
    arrived.set(call.requestId, call);
    if (!shows.isWaiting()) shows.start(showEveryMs, show);
  });
  onScopeDispose(() => {
    turn += 1;
    stop();
    shows.cancel();
    counts.cancel();
  });

  const resume = () => {
    isPaused.value = false;
    add(held.value);
    held.value = [];
  };

  watch(filter, load, { immediate: true });
  return {
    calls,
    histogram,
    failure,
    isLoaded,
    isLoading,
    isPaused,
    heldCount: computed(() => held.value.length),
    hasMore: computed(() => cursor.value !== null),
    load,
    loadMore,
    pause: () => (isPaused.value = true),
    resume,
    /** The filter of the list as the server takes it. */
    selected: () => input,
  };
};

export type Activity = ReturnType<typeof useActivity>;
