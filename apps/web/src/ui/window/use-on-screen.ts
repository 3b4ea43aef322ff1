import { onScopeDispose, ref, watch, type Ref, type ShallowRef } from 'vue';

/** Whether an element is in sight, at least in part. */
export const useOnScreen = (element: Readonly<ShallowRef<HTMLElement | null>>): Readonly<Ref<boolean>> => {
  const isOnScreen = ref(false);
  if (typeof IntersectionObserver === 'undefined') return isOnScreen;
  const observer = new IntersectionObserver((entries) => {
    isOnScreen.value = entries.at(-1)?.isIntersecting ?? false;
  });
  watch(
    element,
    (box) => {
      observer.disconnect();
      isOnScreen.value = false;
      if (box) observer.observe(box);
    },
    { immediate: true, flush: 'post' },
  );
  onScopeDispose(() => observer.disconnect());
  return isOnScreen;
};
