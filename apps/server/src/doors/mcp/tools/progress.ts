import type { CallEvent } from '@drawbridge/contracts/calls';

const maxMessageLength = 2_000;
/**
 * What the number rises by where a tool counts nothing, and where it does but says the same again: it must
 * rise each time.
 */
const stepWithout = 1;
const stepWithin = 0.001;

/** The parameters of a `notifications/progress`, without its token. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** Progress of a call, from its tool or from the server. */
export type ToolProgress = Pick<
  Extract<CallEvent, { type: 'progress' }>,
  'progress' | 'total' | 'message' | 'output'
>;

/** Turns the progress of a call into the protocol's. One for each call. */
export const createProgress = (): ((progress: ToolProgress) => Progress) => {
  let last = -1;
  let counts = false;
  return ({ progress, total, message, output }) => {
    counts ||= progress !== undefined;
    last = progress !== undefined && progress > last ? progress : last + (counts ? stepWithin : stepWithout);
    const text = message ?? output;
    return {
      progress: last,
      ...(total !== undefined && { total }),
      ...(text !== undefined && { message: text.slice(-maxMessageLength) }),
    };
  };
};
