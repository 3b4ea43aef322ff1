import { onScopeDispose, ref, watch, type Ref, type ShallowRef } from 'vue';

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
  const observer = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(check);
  watch(
    [element, key],
    ([box]) => {
      seen.value = false;
      observer?.disconnect();
      if (!box) return;
      check();
      observer?.observe(box);
    },
    { immediate: true, flush: 'post' },
  );
  onScopeDispose(() => observer?.disconnect());
  return { seen, check };
};
