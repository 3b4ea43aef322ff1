import type { Call, CallSummary } from '@drawbridge/contracts';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';
import { hasEnded, useCallsStore } from '../activity/use-calls-store.ts';

/** One run of a tool from the form: from the press to the result. */
export const useRun = () => {
  const api = useApi();
  const store = useCallsStore();
  const busy = ref(false);
  const failure = ref<Failure | null>(null);
  const requestId = ref<string | null>(null);
  const done = shallowRef<Call | null>(null);
  let request = new AbortController();
  let turn = 0;

  const summary = computed<CallSummary | null>(() =>
    requestId.value === null ? null : (store.known.get(requestId.value) ?? done.value),
  );
  const progress = computed(() => (requestId.value === null ? undefined : store.progress[requestId.value]));

  const finish = async (id: string) => {
    const own = turn;
    const call = await api.calls.get.query({ requestId: id }).catch((error: unknown) => {
      if (own === turn) failure.value = failureOf(error);
      return null;
    });
    if (own !== turn) return;
    if (call) done.value = call;
    busy.value = false;
  };

  /** The server says which call this is when it answers; until then, the first new call of this tool is taken for it. */
  const adopt = (tool: string, before: ReadonlySet<string>) =>
    watch(
      () =>
        store.calls.find((call) => call.tool === tool && call.door === 'trpc' && !before.has(call.requestId)),
      (call) => {
        if (call && requestId.value === null) requestId.value = call.requestId;
      },
    );

  const run = async (name: string, args: Record<string, unknown>) => {
    turn += 1;
    const own = turn;
    request = new AbortController();
    busy.value = true;
    failure.value = null;
    done.value = null;
    requestId.value = null;
    const stop = adopt(name, new Set(store.known.keys()));
    try {
      const call = await api.calls.run.mutate({ name, arguments: args }, { signal: request.signal });
      if (own !== turn) return;
      requestId.value = call.requestId;
      if (hasEnded(call.state)) {
        done.value = call;
        busy.value = false;
      } else if (hasEnded(store.known.get(call.requestId)?.state ?? call.state)) {
        await finish(call.requestId);
      }
    } catch (error) {
      if (own !== turn) return;
      busy.value = false;
      if (!request.signal.aborted) failure.value = failureOf(error);
    } finally {
      stop();
    }
  };

  // A call that waited for an answer ends later: the live events tell when.
  watch(
    () => (summary.value && hasEnded(summary.value.state) ? summary.value.requestId : null),
    (id) => {
      if (id !== null && done.value === null) void finish(id);
    },
  );

  const cancel = async () => {
    const id = requestId.value;
    if (id === null) {
      request.abort();
      busy.value = false;
    } else failure.value = await store.cancel(id);
  };

  onScopeDispose(() => {
    turn += 1;
  });
  return { busy, failure, summary, progress, done, run, cancel };
};
