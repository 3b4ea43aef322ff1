import { onScopeDispose, ref, watch, type Ref, type ShallowRef } from 'vue';

/** Fractions of a pixel in the browser's sums. */
const slackPx = 4;

/** Whether the end of a scrolling element has been in sight since `key` last changed. */
export const useSeenToEnd = (
  element: Readonly<ShallowRef<HTMLElement | null>>,
  key: () => string,
): { seen: Readonly<Ref<boolean>>; look: () => void } => {
  const seen = ref(false);
  const look = () => {
    const box = element.value;
    if (box && box.scrollTop + box.clientHeight >= box.scrollHeight - slackPx) seen.value = true;
  };
  const observer = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(look);
  watch(
    [element, key],
    ([box]) => {
      seen.value = false;
      observer?.disconnect();
      if (!box) return;
      look();
      observer?.observe(box);
    },
    { immediate: true, flush: 'post' },
  );
  onScopeDispose(() => observer?.disconnect());
  return { seen, look };
};
