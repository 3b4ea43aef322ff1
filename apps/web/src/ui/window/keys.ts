import { useEventListener } from '@vueuse/core';

/** Whether an event belongs to a field that takes text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

/** Whether a dialog or a menu without `target` has the keys. One that closes is there for a moment more. */
export const hasDialog = (target: EventTarget | null): boolean => {
  const isElsewhere = (one: Element) => !(target instanceof Node && one.contains(target));
  const open = ':is([role=dialog], [role=menu]):not([data-state=closed])';
  return (
    [...document.querySelectorAll(open)].some(isElsewhere) ||
    [...document.querySelectorAll('[popover]')].some((one) => one.getClientRects().length > 0)
  );
};

/** Listens to the keys of the window while the scope lives and `isOn` holds. */
export const useWindowKeys = (isOn: () => boolean, onKey: (event: KeyboardEvent) => void): void => {
  useEventListener(window, 'keydown', (event) => {
    if (isOn() && !hasDialog(null)) onKey(event);
  });
};

/** Keys of a list: `j` moves down, `k` up. Ignores typing and shortcuts. */
export const moveKeys =
  (move: { down(): void; up(): void }) =>
  (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    const action = isTyping(event.target) ? undefined : { j: move.down, k: move.up }[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
