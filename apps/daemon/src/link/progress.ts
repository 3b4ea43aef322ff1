import type { ProgressBody } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Reply } from './server-api.ts';

const everyMs = 250;
/** The wait after a post that the server could not take. */
const againMs = 1_000;
const maxOutputLength = 65_536;
const maxWaitingOutput = 4 * maxOutputLength;

const merge = (earlier: ProgressBody, later: ProgressBody): ProgressBody => {
  const output = (earlier.output ?? '') + (later.output ?? '');
  // What is cut here is in the result all the same: progress is for watching.
  return { ...earlier, ...later, ...(output === '' ? {} : { output: output.slice(-maxWaitingOutput) }) };
};

const split = (body: ProgressBody): { first: ProgressBody; rest: ProgressBody | null } => {
  const { output } = body;
  if (output === undefined || output.length <= maxOutputLength) return { first: body, rest: null };
  return {
    first: { ...body, output: output.slice(0, maxOutputLength) },
    rest: { output: output.slice(maxOutputLength) },
  };
};

export interface ProgressReporter {
  report(update: ProgressBody): void;
  /** The call has ended: what waits is dropped. */
  end(): void;
}

const isAway = (reply: Reply<null>) =>
  !reply.ok && (reply.status === null || reply.status >= 500 || reply.status === 429);

/**
 * Posts a call's progress, one post at a time and at most four a second; what comes between is merged. What the server
 * could not take is posted again with what came since, so that whoever watches misses nothing while it is away.
 */
export const createProgressReporter = (
  clock: Clock,
  post: (body: ProgressBody) => Promise<Reply<null>>,
): ProgressReporter => {
  let waiting: ProgressBody | null = null;
  let busy = false;
  let ended = false;
  let stopWaiting = () => {};

  const flush = async (): Promise<void> => {
    if (busy || ended || waiting === null) return;
    busy = true;
    const { first, rest } = split(waiting);
    waiting = rest;
    const startedAt = clock.now();
    const away = isAway(await post(first));
    if (away) waiting = merge(first, waiting ?? {});
    const restMs = away ? againMs : Math.max(0, everyMs - (clock.now() - startedAt));
    if (ended) return;
    stopWaiting = clock.after(restMs, () => {
      busy = false;
      void flush();
    });
  };

  return {
    report: (update) => {
      waiting = merge(waiting ?? {}, update);
      void flush();
    },
    end: () => {
      ended = true;
      stopWaiting();
    },
  };
};
