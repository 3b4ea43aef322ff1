import { useEventListener } from '@vueuse/core';

/** Whether a dialog or a menu is open: it has the keys then. */
const hasDialog = () =>
  document.querySelector('[role=dialog], [role=menu]') !== null ||
  [...document.querySelectorAll('[popover]')].some((one) => one.getClientRects().length > 0);

/** Listens to the keys of the window while the scope lives and `isOn` holds. */
export const useWindowKeys = (isOn: () => boolean, onKey: (event: KeyboardEvent) => void): void => {
  useEventListener(window, 'keydown', (event) => {
    if (isOn() && !hasDialog()) onKey(event);
  });
};
