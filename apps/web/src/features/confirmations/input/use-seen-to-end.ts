import { useMutationObserver, useResizeObserver } from '@vueuse/core';
import { ref, watch, type Ref, type ShallowRef } from 'vue';

/** Tolerance for fractional pixels. */
const slackPx = 4;

/** Whether the end of a scrolling element was visible since `key` last changed. */
export const useSeenToEnd = (
  element: Readonly<ShallowRef<HTMLElement | null>>,
  key: () => string,
): { seen: Readonly<Ref<boolean>>; check: () => void } => {
  const seen = ref(false);
  const check = () => {
    const box = element.value;
    if (box && box.scrollTop + box.clientHeight >= box.scrollHeight - slackPx) seen.value = true;
  };
  watch(
    [element, key],
    () => {
      seen.value = false;
      check();
    },
    { immediate: true, flush: 'post' },
  );
  useResizeObserver(element, check);
  // The details of a preview fold long lines after it was shown.
  useMutationObserver(element, check, { childList: true, subtree: true });
  return { seen, check };
};
