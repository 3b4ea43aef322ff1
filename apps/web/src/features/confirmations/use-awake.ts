import { onScopeDispose, ref, watch, type Ref } from 'vue';
import { useClock } from '../../api/index.ts';

/** A hand that was on its way to something else must not press a button that has just come. */
const sleepMs = 500;

/** False for `sleepMs` after the start and after each change of `key`. */
export const useAwake = (key: () => string): Readonly<Ref<boolean>> => {
  const clock = useClock();
  const awake = ref(false);
  let cancel = () => {};
  const sleep = () => {
    cancel();
    awake.value = false;
    cancel = clock.after(sleepMs, () => {
      awake.value = true;
    });
  };
  // Before the page is drawn anew: the changed question is never seen with buttons that work.
  watch(key, sleep, { immediate: true, flush: 'sync' });
  onScopeDispose(() => cancel());
  return awake;
};
