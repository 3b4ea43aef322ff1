import type { Call, CallSummary } from '@drawbridge/contracts/calls';
import { computed, ref, shallowRef, watch } from 'vue';
import { failureOf, type Api, type Failure } from '../../api/index.ts';
import { hasEnded, type CallsStore } from '../calls/use-calls-store.ts';

/** The request failed, but the call continues: live events report its end. */
const lostRequest = ['UNREACHABLE', 'SHUTTING_DOWN'];

interface RunNeeds {
  api: Api;
  store: CallsStore;
  tool: string;
  machineId: string;
  /** Gives the id of a new call. */
  newId(): string;
}

/** Creates an idle run. The caller's scope ends its watchers. */
export const createRun = ({ api, store, tool, machineId, newId }: RunNeeds) => {
  const busy = ref(false);
  const failure = ref<Failure | null>(null);
  const requestId = ref<string | null>(null);
  const done = shallowRef<Call | null>(null);
  let request = new AbortController();
  let turn = 0;

  /** The call according to the latest live event. */
  const summary = computed<CallSummary | null>(() =>
    requestId.value === null ? null : (store.known.get(requestId.value) ?? done.value),
  );
  const progress = computed(() =>
    requestId.value === null ? undefined : store.progress.get(requestId.value),
  );

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

  const refused = (error: unknown) => {
    const why = failureOf(error);
    // The watcher below fetches a call that has ended meanwhile.
    if (summary.value !== null && lostRequest.includes(why.code)) return;
    busy.value = false;
    if (!request.signal.aborted) failure.value = why;
  };

  const run = async (args: Record<string, unknown>) => {
    turn += 1;
    const own = turn;
    request = new AbortController();
    busy.value = true;
    failure.value = null;
    done.value = null;
    const id = newId();
    requestId.value = id;
    try {
      const input = { name: tool, arguments: args, machineId, requestId: id };
      const call = await api.calls.run.mutate(input, { signal: request.signal });
      if (own !== turn) return;
      if (hasEnded(call.state)) {
        done.value = call;
        busy.value = false;
      } else if (hasEnded(store.known.get(id)?.state ?? call.state)) {
        await finish(id);
      }
    } catch (error) {
      if (own === turn) refused(error);
    }
  };

  // A call with a question, or without its request, ends later: live events report it.
  watch(
    () => (summary.value && hasEnded(summary.value.state) ? summary.value.requestId : null),
    (id) => {
      if (id !== null && done.value === null) void finish(id);
    },
  );

  const cancel = async () => {
    const id = requestId.value;
    if (id === null || summary.value === null) {
      request.abort();
      busy.value = false;
    } else failure.value = await store.cancel(id);
  };

  /** Drops all later results. */
  const stop = () => {
    turn += 1;
  };
  return { busy, failure, summary, progress, done, run, cancel, stop };
};

/** One run of a tool from its form. */
export type Run = ReturnType<typeof createRun>;
