import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createTimer, type Clock } from '@drawbridge/kit';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { noAnswer, type Question } from './question.ts';
import { mayHaveRun, readRefusal, readResult } from './result.ts';

/** Questions that one call may ask. */
const maxQuestions = 8;
/** Without an answer and without progress, where the call brings no deadline of its own. */
const silenceMs = 10 * 60_000;

/** Who waits for a call for the time being. */
export interface Listener {
  /** Aborted: the call is cancelled at the server. */
  signal: AbortSignal;
  timeoutMs?: number;
  progress(update: ProgressBody): void;
  /** Whether its client can be asked this. */
  canBeAsked(question: Question): boolean;
}

export type Turn = { kind: 'ended'; result: ToolResult } | { kind: 'asks'; question: Question };

/** A call of a server's tool, which may ask on its way and so outlive the request that began it. */
export interface ServerCall {
  /** The end, or the next question that has no answer. Rejects with the reason of the listener's signal. */
  turn(listener: Listener): Promise<Turn>;
  /** The server asks; `signal` aborts when it takes that back. */
  ask(question: Question, signal: AbortSignal): Promise<ElicitResult>;
  answer(question: Question, answer: ElicitResult): void;
  /** Goes to the caller with the result. */
  note(text: string): void;
  /** Cancels the call: its result will not be asked for. */
  abandon(): void;
  ended: Promise<ToolResult>;
}

interface Waiting {
  question: Question;
  settle(answer: ElicitResult): void;
}

export interface ServerCallNeeds {
  clock: Clock;
  /** The server's. */
  name: string;
  run(given: { signal: AbortSignal; progress(update: ProgressBody): void }): Promise<Record<string, unknown>>;
}

export const startServerCall = ({ clock, name, run }: ServerCallNeeds): ServerCall => {
  const stopping = new AbortController();
  const waiting = new Set<Waiting>();
  const notes: string[] = [];
  let asked = 0;
  let whyStopped: ToolResult | undefined;
  let report: ((update: ProgressBody) => void) | undefined;
  let wake: (() => void) | undefined;
  let canBeAsked: Listener['canBeAsked'] = () => false;

  const note = (text: string) => void (notes.includes(text) || notes.push(text));
  const dropQuestions = () => {
    for (const { settle } of waiting) settle(noAnswer);
  };
  const stop = (why: ToolResult) => {
    whyStopped ??= why;
    dropQuestions();
    stopping.abort();
  };

  const ended = run({ signal: stopping.signal, progress: (update) => report?.(update) })
    .then(
      readResult,
      (error: unknown) =>
        whyStopped ?? readRefusal(error) ?? mayHaveRun(`The MCP server ${name} ended during this call`),
    )
    .then(({ content, ...result }): ToolResult => {
      dropQuestions();
      return { ...result, content: [...content, ...notes.map((text) => ({ type: 'text' as const, text }))] };
    });

  const nextQuestion = () =>
    new Promise<Turn>((resolve) => {
      wake = () => {
        const [first] = waiting;
        if (first) resolve({ kind: 'asks', question: first.question });
      };
      wake();
    });

  const whyNot = (question: Question): string | null => {
    if (asked > maxQuestions) return `It may ask ${maxQuestions} times in a call`;
    return canBeAsked(question) ? null : 'The program that made this call cannot be asked';
  };

  return {
    ended,
    note,
    turn: async (listener) => {
      const { signal, timeoutMs = silenceMs, progress } = listener;
      const timer = createTimer(clock);
      const expire = () =>
        stop(mayHaveRun(`The MCP server ${name} did not answer within ${timeoutMs / 1_000} s`));
      timer.start(timeoutMs, expire);
      const leave = () => stop(mayHaveRun('The call was taken back'));
      ({ canBeAsked } = listener);
      report = (update) => {
        timer.start(timeoutMs, expire);
        progress(update);
      };
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      try {
        const end = ended.then((result): Turn => ({ kind: 'ended', result }));
        const turn = await Promise.race([end, nextQuestion()]);
        if (signal.aborted && stopping.signal.aborted) throw signal.reason;
        return turn;
      } finally {
        report = undefined;
        timer.cancel();
        signal.removeEventListener('abort', leave);
      }
    },
    ask: async (question, signal) => {
      asked += 1;
      const why = whyNot(question);
      if (why !== null) {
        if (asked <= maxQuestions + 1)
          note(
            `The MCP server ${name} asked, and was told that there is no answer: ${question.message}\n${why}.`,
          );
        return noAnswer;
      }
      return new Promise((resolve) => {
        const settle = (answer: ElicitResult) => {
          waiting.delete(one);
          signal.removeEventListener('abort', drop);
          resolve(answer);
        };
        const drop = () => settle(noAnswer);
        const one = { question, settle };
        signal.addEventListener('abort', drop, { once: true });
        waiting.add(one);
        wake?.();
      });
    },
    answer: (question, answer) => {
      for (const one of waiting) if (one.question === question) one.settle(answer);
    },
    abandon: () => stop(mayHaveRun('Nobody answered the question of the MCP server')),
  };
};
