const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** Key presses in a question: `a` allows, `d` denies. Ignores repeats, typing and shortcuts. */
export const answerKeys =
  (answers: { allow(): void; deny(): void }) =>
  (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    if (event.defaultPrevented || isTyping(event.target)) return;
    if (event.key !== 'a' && event.key !== 'd') return;
    event.preventDefault();
    if (event.key === 'a') answers.allow();
    else answers.deny();
  };
