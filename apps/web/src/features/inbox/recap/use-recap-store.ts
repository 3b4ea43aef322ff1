import type { Recap } from '@drawbridge/contracts/machines/recap';
import { useEventListener } from '@vueuse/core';
import { defineStore } from 'pinia';
import { createLoaded, createRequest, useApi, useClock } from '../../../api/index.ts';

/** What happened since the last visit; null where there is nothing, or the person has seen it. */
export const useRecapStore = defineStore('recap', () => {
  const api = useApi();
  const { value: recap, load, set } = createLoaded<Recap | null>(() => api.calls.recap.mutate());
  const { busy, failure, run } = createRequest();
  const see = async ({ to }: Recap) => {
    if (await run(() => api.calls.recapSeen.mutate({ to }))) set(null);
  };
  return { recap, load, busy, failure, see };
});

/** How often it is noted that a person is still here. */
const noteEveryMs = 300_000;

/** Notes that the person is here when they come back, press a key or click: a window alone is no visit. */
export const useVisits = (): void => {
  const clock = useClock();
  const { load } = useRecapStore();
  let notedAt = -Infinity;
  const note = () => {
    if (document.visibilityState !== 'visible' || clock.now() - notedAt < noteEveryMs) return;
    notedAt = clock.now();
    void load();
  };
  note();
  useEventListener(document, 'visibilitychange', note);
  useEventListener(window, ['keydown', 'pointerdown', 'focus'], note, { passive: true });
};
