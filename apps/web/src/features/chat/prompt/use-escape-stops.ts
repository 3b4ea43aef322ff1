import { createTimer } from '@drawbridge/kit';
import { useEventListener } from '@vueuse/core';
import { onScopeDispose, ref, watch, type Ref } from 'vue';
import { useClock } from '../../../api/index.ts';

/** The second Escape within this time stops. */
const armedMs = 3_000;

/** Escape twice stops the run; the first one says so. Returns whether the next Escape stops. */
export const useEscapeStops = (isRunning: () => boolean, stop: () => void): Readonly<Ref<boolean>> => {
  const timer = createTimer(useClock());
  const armed = ref(false);
  const disarm = () => {
    timer.cancel();
    armed.value = false;
  };

  const onKey = (event: KeyboardEvent) => {
    // A dialog or a menu that closes on Escape has handled the key.
    if (event.key !== 'Escape' || event.repeat || event.defaultPrevented || !isRunning()) return;
    if (document.querySelector('[role=dialog], [role=menu], [role=listbox]')) return;
    if (armed.value) {
      disarm();
      return stop();
    }
    armed.value = true;
    timer.start(armedMs, () => (armed.value = false));
  };
  watch(isRunning, disarm);
  useEventListener(window, 'keydown', onKey);
  onScopeDispose(disarm);
  return armed;
};
