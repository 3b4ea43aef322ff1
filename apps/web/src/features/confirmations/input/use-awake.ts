import { createTimer } from '@drawbridge/kit';
import { onScopeDispose, ref, watch, type Ref } from 'vue';
import { useClock } from '../../../api/index.ts';

/** A click that was aimed at something else must not hit a button that has just appeared. */
const sleepMs = 500;

/** False for `sleepMs` after the start and after each change of `key`. */
export const useAwake = (key: () => string): Readonly<Ref<boolean>> => {
  const timer = createTimer(useClock());
  const awake = ref(false);
  const sleep = () => {
    awake.value = false;
    timer.start(sleepMs, () => (awake.value = true));
  };
  // Synchronous: a changed question is never rendered with active buttons.
  watch(key, sleep, { immediate: true, flush: 'sync' });
  onScopeDispose(timer.cancel);
  return awake;
};
