import { hasDialog, isTyping } from '../../../ui/window/keys.ts';

/** Keys in a question: `a` allows, `d` denies, `r` gives a reason. Ignores repeats, typing and shortcuts. */
export const answerKeys =
  (answers: { allow(): void; deny(): void; giveReason(): void }) =>
  (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    // A dialog that closes gives the focus back late, when another may be open.
    if (event.defaultPrevented || isTyping(event.target) || hasDialog(event.target)) return;
    const answer = { a: answers.allow, d: answers.deny, r: answers.giveReason }[event.key];
    if (answer === undefined) return;
    event.preventDefault();
    answer();
  };
