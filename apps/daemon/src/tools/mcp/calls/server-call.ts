import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createTimer, type Clock } from '@drawbridge/kit';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { noAnswer, type Question } from './question.ts';
import { mayHaveRun, readRefusal, readResult } from './result.ts';

const maxQuestions = 8;
/** Without an answer and without progress, where the call brings no deadline of its own. */
const silenceMs = 10 * 60_000;

export interface Listener {
  signal: AbortSignal;
  timeoutMs?: number;
  progress(update: ProgressBody): void;
  canBeAsked(question: Question): boolean;
}

export type Turn = { kind: 'ended'; result: ToolResult } | { kind: 'asks'; question: Question };

const createQuestions = () => {
  const settlers = new Map<Question, (answer: ElicitResult) => void>();
  let wake: (() => void) | undefined;
  const settle = (question: Question, answer: ElicitResult) => {
    settlers.get(question)?.(answer);
    settlers.delete(question);
  };
  return {
    settle,
    /** `signal` aborts when the server cancels its question. */
    put: (question: Question, signal: AbortSignal): Promise<ElicitResult> =>
      new Promise((resolve) => {
        const cancel = () => settle(question, noAnswer);
        signal.addEventListener('abort', cancel, { once: true });
        settlers.set(question, (answer) => {
          signal.removeEventListener('abort', cancel);
          resolve(answer);
        });
        wake?.();
      }),
    next: () =>
      new Promise<Turn>((resolve) => {
        wake = () => {
          const [question] = settlers.keys();
          if (question) resolve({ kind: 'asks', question });
        };
        wake();
      }),
    cancelAll: () => {
      for (const question of settlers.keys()) settle(question, noAnswer);
    },
  };
};

export interface ServerCallNeeds {
  clock: Clock;
  name: string;
  run(options: {
    signal: AbortSignal;
    progress(update: ProgressBody): void;
  }): Promise<Record<string, unknown>>;
}

/** A call of a server's tool, which may ask on its way and so outlive the request that began it. */
export const startServerCall = ({ clock, name, run }: ServerCallNeeds) => {
  const stopping = new AbortController();
  const questions = createQuestions();
  const notes: string[] = [];
  let asked = 0;
  let whyStopped: ToolResult | undefined;
  let report: Listener['progress'] | undefined;
  /** Of the last that waited; before the first no client can be asked. */
  let canBeAsked: Listener['canBeAsked'] | undefined;

  const note = (text: string) => void (notes.includes(text) || notes.push(text));
  const stop = (why: ToolResult) => {
    whyStopped ??= why;
    questions.cancelAll();
    stopping.abort();
  };

  const ended = run({ signal: stopping.signal, progress: (update) => report?.(update) })
    .then(
      readResult,
      (error: unknown) =>
        whyStopped ?? readRefusal(error) ?? mayHaveRun(`The MCP server ${name} ended during this call`),
    )
    .then(({ content, ...result }): ToolResult => {
      questions.cancelAll();
      return { ...result, content: [...content, ...notes.map((text) => ({ type: 'text' as const, text }))] };
    });

  const whyNot = (question: Question): string | null => {
    if (asked > maxQuestions) return `It may ask ${maxQuestions} times in a call`;
    return canBeAsked?.(question) === true ? null : 'The program that made this call cannot be asked';
  };

  return {
    ended,
    note,
    /** The end, or the next question that has no answer. Rejects with the reason of the listener's signal. */
    turn: async (listener: Listener) => {
      const { signal, timeoutMs = silenceMs, progress } = listener;
      const timer = createTimer(clock);
      const expire = () =>
        stop(mayHaveRun(`The MCP server ${name} did not answer within ${timeoutMs / 1_000} s`));
      const abort = () => stop(mayHaveRun('The call was cancelled'));
      timer.start(timeoutMs, expire);
      ({ canBeAsked } = listener);
      report = (update) => {
        timer.start(timeoutMs, expire);
        progress(update);
      };
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        const end = ended.then((result): Turn => ({ kind: 'ended', result }));
        const turn = await Promise.race([end, questions.next()]);
        if (signal.aborted && stopping.signal.aborted) throw signal.reason;
        return turn;
      } finally {
        report = undefined;
        timer.cancel();
        signal.removeEventListener('abort', abort);
      }
    },
    /** The server asks; `signal` aborts when it cancels the question. */
    ask: async (question: Question, signal: AbortSignal) => {
      asked += 1;
      const why = whyNot(question);
      if (why === null) return questions.put(question, signal);
      if (asked <= maxQuestions + 1)
        note(`The MCP server ${name} asked a question and got no answer: ${question.message}\n${why}.`);
      return noAnswer;
    },
    answer: questions.settle,
    /** Cancels the call: its result will not be asked for. */
    abandon: () => stop(mayHaveRun('The question of the MCP server was not answered')),
  };
};

export type ServerCall = ReturnType<typeof startServerCall>;
