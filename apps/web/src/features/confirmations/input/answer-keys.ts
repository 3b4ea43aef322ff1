/** Whether an event belongs to a field that takes text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** Keys in a question: `a` allows, `d` denies, `r` gives a reason. Ignores repeats, typing and shortcuts. */
export const answerKeys =
  (answers: { allow(): void; deny(): void; giveReason(): void }) =>
  (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    if (event.defaultPrevented || isTyping(event.target)) return;
    const answer = { a: answers.allow, d: answers.deny, r: answers.giveReason }[event.key];
    if (answer === undefined) return;
    event.preventDefault();
    answer();
  };
