import { onScopeDispose, ref, watch, type Ref } from 'vue';

/** The width of an element in pixels; 0 until it is rendered. */
export const useElementWidth = (element: Readonly<Ref<HTMLElement | null>>): Readonly<Ref<number>> => {
  const width = ref(0);
  const observer = new ResizeObserver(([entry]) => {
    width.value = entry?.contentRect.width ?? width.value;
  });
  watch(element, (now, before) => {
    if (before) observer.unobserve(before);
    if (now) observer.observe(now);
  });
  onScopeDispose(() => observer.disconnect());
  return width;
};
