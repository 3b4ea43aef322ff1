import type { Frame } from './socket.ts';

/** `text`: part of the answer, as it grows. `notice`: beside the answer. */
export type Happening =
  | { type: 'connected'; isAgain: boolean }
  | { type: 'session'; sessionId: string }
  | { type: 'away' }
  | { type: 'text'; text: string }
  | { type: 'notice'; word: string; text: string }
  | { type: 'running'; isRunning: boolean }
  | { type: 'question'; question: Record<string, unknown> }
  | { type: 'answered'; confirmId: string; state: string }
  | { type: 'ended'; problem: string | null }
  | { type: 'frame'; frame: Frame };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const stateEvents = (state: string): Happening[] => {
  switch (state) {
    case 'start':
    case 'resumed':
      return [{ type: 'running', isRunning: true }];
    case 'suspended':
      return [{ type: 'notice', word: 'waits', text: 'for an answer' }];
    case 'complete':
      return [{ type: 'running', isRunning: false }];
    case 'cancelled':
    case 'error':
      return [
        { type: 'running', isRunning: false },
        { type: 'notice', word: state, text: '' },
      ];
    default:
      return [];
  }
};

/** What an event of a session shows, but for its text. */
const shownBy = ({ event, data }: Frame): Happening[] => {
  switch (event) {
    case 'tool_start':
      return [
        { type: 'notice', word: 'tool', text: `${textOf(data.tool)} ${JSON.stringify(data.args ?? {})}` },
      ];
    case 'tool_end': {
      const { success } = (data.result ?? {}) as { success?: unknown };
      return success === true ? [] : [{ type: 'notice', word: 'failed', text: textOf(data.tool) }];
    }
    case 'run_state':
      return stateEvents(textOf(data.state));
    case 'confirm_request':
      return [{ type: 'question', question: data }];
    case 'confirm_resolved':
      return [{ type: 'answered', confirmId: textOf(data.confirmId), state: textOf(data.state) }];
    case 'reset':
      return [{ type: 'notice', word: 'gap', text: 'older events are gone; /sessions lists the chats' }];
    default:
      return [];
  }
};

/** What an event of our own message shows, as far as those of the session do not. */
export const shownByOwn = ({ event, data, runId }: Frame): Happening[] => {
  if (event === 'content' && runId === undefined)
    return [{ type: 'notice', word: data.transient === true ? 'note' : '', text: textOf(data.text) }];
  if (event !== 'run_state') return [];
  switch (textOf(data.state)) {
    case 'queued':
      return [{ type: 'notice', word: 'queued', text: `place ${String(data.position)}` }];
    case 'merged':
    case 'steered':
      return [{ type: 'notice', word: textOf(data.state), text: 'into the run that is open' }];
    default:
      return [];
  }
};

/** The events of one session over several sockets: text that comes again with a new one is shown once. */
export const createSessionEvents = (listen: (happening: Happening) => void) => {
  /** The newest event that was shown; null before the first one. */
  let seq: number | null = null;
  /** Text that was shown after it: it comes again with a new socket. */
  let unsure = '';
  let repeated = '';

  const showText = (text: string) => {
    const isKnown = repeated !== '' && text.startsWith(repeated.slice(0, text.length));
    const known = isKnown ? Math.min(repeated.length, text.length) : 0;
    repeated = isKnown ? repeated.slice(known) : '';
    const fresh = text.slice(known);
    unsure += fresh;
    if (fresh !== '') listen({ type: 'text', text: fresh });
  };

  return {
    seq: () => seq,
    /** A new socket follows the session from `seq`. */
    follow: () => {
      repeated = unsure.trimStart();
      unsure = '';
    },
    followed: (from: number) => {
      seq ??= from;
    },
    reset: () => {
      seq = null;
      unsure = '';
    },
    take: (frame: Frame) => {
      listen({ type: 'frame', frame });
      if (frame.event === 'content') showText(textOf(frame.data.text));
      else for (const happening of shownBy(frame)) listen(happening);
      if (frame.seq === undefined) return;
      seq = frame.seq;
      unsure = '';
    },
  };
};
