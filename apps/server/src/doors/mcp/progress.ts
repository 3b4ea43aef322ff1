import type { CallEvent } from '@drawbridge/contracts';

const maxMessageLength = 2_000;
/** What the number rises by where a tool counts nothing, and where it does but says the same again: it must rise each time. */
const stepWithout = 1;
const stepWithin = 0.001;

/** The parameters of a `notifications/progress`, without its token. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** What a tool, or we about it, say while it runs. */
export type Said = Pick<
  Extract<CallEvent, { type: 'progress' }>,
  'progress' | 'total' | 'message' | 'output'
>;

/** Turns what a tool says of itself into the protocol's progress. One for each call. */
export const createProgress = (): ((said: Said) => Progress) => {
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
