import { createTimer } from '@drawbridge/kit';
import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useClock } from '../../api/index.ts';

/** A shorter interruption is not shown. */
const quietMs = 1_500;

/** Whether the server responds. */
export const useServerStore = defineStore('server', () => {
  const timer = createTimer(useClock());
  const away = ref(false);

  const onUp = () => {
    timer.cancel();
    away.value = false;
  };

  const onDown = () => {
    if (!timer.isWaiting()) timer.start(quietMs, () => (away.value = true));
  };

  return { away, onUp, onDown };
});
