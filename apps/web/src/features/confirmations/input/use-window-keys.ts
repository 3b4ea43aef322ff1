import { onMounted, onScopeDispose } from 'vue';

/** Whether a dialog or a menu is open: it has the keys then. */
const hasDialog = () =>
  document.querySelector('[role=dialog], [role=menu]') !== null ||
  [...document.querySelectorAll('[popover]')].some((one) => one.getClientRects().length > 0);

/** Listens to the keys of the window while the scope lives and `isOn` holds. */
export const useWindowKeys = (isOn: () => boolean, onKey: (event: KeyboardEvent) => void): void => {
  const listen = (event: KeyboardEvent) => {
    if (isOn() && !hasDialog()) onKey(event);
  };
  onMounted(() => window.addEventListener('keydown', listen));
  onScopeDispose(() => window.removeEventListener('keydown', listen));
};
