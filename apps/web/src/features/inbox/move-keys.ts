import { isTyping } from '../confirmations/input/answer-keys.ts';

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
