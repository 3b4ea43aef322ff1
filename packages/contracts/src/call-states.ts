// Without a schema: the panel's first page reads these, and no zod.

export const openCallStates = ['pending', 'delivered', 'awaiting-confirmation'] as const;
export const terminalCallStates = [
  'succeeded',
  'failed',
  'denied',
  'cancelled',
  'timed-out',
  'lost',
] as const;
export const callStates = [...openCallStates, ...terminalCallStates] as const;
export type CallState = (typeof callStates)[number];
/** Whether a call in this state can still change. */
export const isOpenState = (state: CallState): boolean => openCallStates.some((open) => open === state);
export type TerminalCallState = (typeof terminalCallStates)[number];
