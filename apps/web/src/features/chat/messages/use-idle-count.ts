import { onScopeDispose, ref, watch, type Ref } from 'vue';

/** Added each time: less than a frame's work on a fast computer. */
const step = 10;

/** Begins with `first`, and adds some each time the browser is idle, until `wanted` is reached. */
export const useIdleCount = (first: number, wanted: () => number): Readonly<Ref<number>> => {
  const count = ref('requestIdleCallback' in window ? first : Number.POSITIVE_INFINITY);
  let asked: number | undefined;
  const grow = () => {
    if (asked !== undefined || count.value >= wanted()) return;
    asked = window.requestIdleCallback(() => {
      asked = undefined;
      count.value += step;
      grow();
    });
  };
  watch(wanted, grow, { immediate: true });
  onScopeDispose(() => {
    if (asked !== undefined) window.cancelIdleCallback(asked);
  });
  return count;
};
