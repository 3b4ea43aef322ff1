import { useEventListener, useResizeObserver } from '@vueuse/core';
import { readonly, ref, type Ref } from 'vue';

/** Nearer than this is the end. */
const nearPx = 120;

interface FollowEnd {
  /** False while the person reads further up. */
  follows: Readonly<Ref<boolean>>;
  toEnd(): void;
}

/** Keeps the page at its end while `element` grows, unless the person has scrolled up. */
export const useFollowEnd = (element: () => HTMLElement | null): FollowEnd => {
  const page = document.documentElement;
  const follows = ref(true);
  let lastTop = 0;
  /** What the person opens stays under the pointer, until they scroll. */
  let isHeld = false;

  const toEnd = () => {
    isHeld = false;
    follows.value = true;
    window.scrollTo({ top: page.scrollHeight });
  };
  const isAtEnd = () => page.scrollHeight - page.scrollTop - page.clientHeight < nearPx;
  const onScroll = () => {
    isHeld = false;
    follows.value = isAtEnd() || (follows.value && page.scrollTop >= lastTop);
    lastTop = page.scrollTop;
  };
  const onSize = () => {
    if (follows.value && !isHeld) toEnd();
    // What was opened or closed can leave much below, or nothing.
    else follows.value = isAtEnd();
  };
  useEventListener(element, 'click', ({ target }) => {
    isHeld = target instanceof Element && target.closest('[aria-expanded]') !== null;
  });
  useResizeObserver(element, onSize);
  useEventListener(window, 'resize', onSize);
  useEventListener(window, 'scroll', onScroll, { passive: true });
  return { follows: readonly(follows), toEnd };
};
