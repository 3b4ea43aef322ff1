import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useClock } from '../../api/index.ts';

/** A break shorter than this is not worth a word. */
const quietMs = 1_500;

/** Whether the server answers. */
export const useServerStore = defineStore('server', () => {
  const clock = useClock();
  const away = ref(false);
  let cancel: (() => void) | null = null;

  const onUp = () => {
    cancel?.();
    cancel = null;
    away.value = false;
  };

  const onDown = () => {
    cancel ??= clock.after(quietMs, () => {
      away.value = true;
    });
  };

  return { away, onUp, onDown };
});
