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

/** What decided a call: a question, or with none a rule or the modes. */
export const callRulings = ['asked', 'rule', 'mode'] as const;
export type CallRuling = (typeof callRulings)[number];

export const doors = ['trpc', 'daemon-http', 'mcp', 'rest', 'jsonrpc', 'agent'] as const;
export type Door = (typeof doors)[number];

/** How the id of a user's call begins: its time in base 36, and the start of the user's id. */
export const callIdPrefixOf = (at: number, userId: string): string =>
  at.toString(36).padStart(9, '0') + userId.slice(0, 8);

/** Of a text to search for, in characters. */
export const maxSearchLength = 200;

export const callExportFormats = ['csv', 'json'] as const;
