import type { CallEvent, CallState, CallSummary } from '@drawbridge/contracts/calls';
import { isOpenState } from '@drawbridge/contracts/names/calls';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { attempt, useApi, type Failure } from '../../api/index.ts';
import { appended, noOutput, placed, type LiveOutput } from './live-output.ts';

export interface Progress {
  message?: string;
  progress?: number;
  total?: number;
  output: LiveOutput;
  /** The machine reports output positions, so that repeated output is shown once. */
  isPlaced?: true;
}

type ProgressEvent = Extract<CallEvent, { type: 'progress' }>;

const after = (before: Progress | undefined, event: ProgressEvent): Progress => {
  const { requestId: _requestId, type: _type, output: text = '', outputOffset: offset, ...state } = event;
  const output = before?.output ?? noOutput;
  if (offset === undefined) return { ...before, ...state, output: appended(output, text) };
  return { ...before, ...state, output: placed(output, { offset, text }), isPlaced: true };
};

/** How many calls are known; the oldest ended ones are dropped first. */
const knownCalls = 1_000;
/** How many outputs of ended calls without a result are kept. */
const keptOutputs = 10;
const withoutResult: readonly CallState[] = ['failed', 'cancelled', 'timed-out', 'lost'];

const bounded = (calls: Map<string, CallSummary>): ReadonlyMap<string, CallSummary> => {
  for (const [requestId, { state }] of calls) {
    if (calls.size <= knownCalls) break;
    if (hasEnded(state)) calls.delete(requestId);
  }
  return calls;
};

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1);

/** The order of calls; `localeCompare` takes a hundred times as long. */
export const newestFirst = (a: CallSummary, b: CallSummary): number =>
  compare(a.createdAt, b.createdAt) || compare(a.requestId, b.requestId);

export const hasEnded = (state: CallState): boolean => !isOpenState(state);

/** The newest calls that this window knows, and the progress of running ones. */
export const useCallsStore = defineStore('calls', () => {
  const api = useApi();
  const known = shallowRef<ReadonlyMap<string, CallSummary>>(new Map());
  const progress = shallowRef<ReadonlyMap<string, Progress>>(new Map());
  const loaded = ref(false);
  const failure = ref<Failure | null>(null);

  const listeners = new Set<(call: CallSummary) => void>();

  const calls = computed(() => [...known.value.values()].sort(newestFirst));

  const isOver = (requestId: string) => {
    const state = known.value.get(requestId)?.state;
    return state !== undefined && hasEnded(state);
  };

  /** Drops the progress of an ended call, unless the call may have no result. */
  const settle = ({ requestId, state }: CallSummary) => {
    const kept = new Map(progress.value);
    if (!withoutResult.includes(state)) kept.delete(requestId);
    const ended = [...kept.keys()].filter(isOver);
    for (const old of ended.slice(0, -keptOutputs)) kept.delete(old);
    progress.value = kept;
  };

  const put = (call: CallSummary) => {
    const before = known.value.get(call.requestId);
    // Answers and events of several servers come in any order.
    if (before && before.rev > call.rev) return;
    known.value = bounded(new Map(known.value).set(call.requestId, call));
    for (const listener of listeners) listener(call);
    if (hasEnded(call.state) && progress.value.has(call.requestId)) settle(call);
  };

  /** Loads the newest calls. */
  const load = async () => {
    failure.value = await attempt(async () => {
      const { calls: newest } = await api.calls.list.query({});
      for (const call of newest.toReversed()) put(call);
      loaded.value = true;
    });
  };

  /** Calls `listener` with each call that is made or changes; the returned function stops it. */
  const watchCalls = (listener: (call: CallSummary) => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  const onCall = (event: CallEvent) => {
    switch (event.type) {
      case 'call':
        return put(event.call);
      case 'progress': {
        const { requestId } = event;
        if (isOver(requestId)) return;
        progress.value = new Map(progress.value).set(requestId, after(progress.value.get(requestId), event));
        return;
      }
      default:
        event satisfies never;
    }
  };

  /** The output of running calls as events, for a window that opens while they run. */
  const recall = (): ProgressEvent[] =>
    [...progress.value].flatMap(([requestId, { output, isPlaced, ...state }]) => {
      if (isOver(requestId) || isPlaced === undefined) return [];
      const text = output.parts.map((part) => part.text).join('');
      return [{ type: 'progress', requestId, ...state, output: text, outputOffset: output.cutLength }];
    });

  /** Cancels a running call; resolves to its failure, or to null. */
  const cancel = (requestId: string) =>
    attempt(async () => put(await api.calls.cancel.mutate({ requestId })));

  return { calls, known, progress, loaded, failure, load, watchCalls, onCall, recall, cancel };
});

export type CallsStore = ReturnType<typeof useCallsStore>;
