import { createTimer } from '@drawbridge/kit';
import { useEventListener } from '@vueuse/core';
import { onScopeDispose, ref, watch, type Ref } from 'vue';
import { useClock } from '../../../api/index.ts';

/** The second Escape within this time stops. */
const armedMs = 3_000;

/** `onEscape` gets the key where no dialog or menu closes on it; with `capture`, before all others. */
export const useEscape = (onEscape: (event: KeyboardEvent) => void, capture = false): void => {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing || event.defaultPrevented) return;
    if (!document.querySelector('[role=dialog], [role=menu], [role=listbox]')) onEscape(event);
  };
  useEventListener(window, 'keydown', onKey, { capture });
};

/** Escape twice stops the run; the first one says so. Returns whether the next Escape stops. */
export const useEscapeStops = (isRunning: () => boolean, stop: () => void): Readonly<Ref<boolean>> => {
  const timer = createTimer(useClock());
  const armed = ref(false);
  const disarm = () => {
    timer.cancel();
    armed.value = false;
  };

  useEscape(() => {
    if (!isRunning()) return;
    if (armed.value) {
      disarm();
      return stop();
    }
    armed.value = true;
    timer.start(armedMs, () => (armed.value = false));
  });
  watch(isRunning, disarm);
  onScopeDispose(disarm);
  return armed;
};
