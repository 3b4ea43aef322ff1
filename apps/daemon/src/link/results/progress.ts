import type { ProgressReply } from '@drawbridge/contracts/daemon-reply';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createTimer, type Clock } from '@drawbridge/kit';
import type { Reply } from '../reply.ts';

const everyMs = 250;
/** The wait after a post that the server could not take. */
const againMs = 1_000;
const maxOutputLength = 65_536;
/** The latest output is kept to be posted again. Older output is in the result alone. */
const maxKeptLength = 4 * maxOutputLength;

const isAway = (reply: Reply<ProgressReply>) =>
  !reply.ok && (reply.status === null || reply.status >= 500 || reply.status === 429);

/** The newest of what a call printed, by its place in all of it, and how far the server has it. */
const createKeptOutput = () => {
  let text = '';
  let from = 0;
  let taken = 0;
  const end = () => from + text.length;

  return {
    add: (more: string) => {
      const grown = text + more;
      text = grown.slice(-maxKeptLength);
      from += grown.length - text.length;
      taken = Math.max(taken, from);
    },
    isTaken: () => taken === end(),
    next: (): ProgressBody => {
      if (end() === 0) return {};
      const output = text.slice(taken - from, taken - from + maxOutputLength);
      return { ...(output === '' ? {} : { output }), outputOffset: taken, outputKeptFrom: from };
    },
    /** The server has all up to `offset`: what it asks for again is posted again as far as it is here. */
    takenTo: (offset: number) => {
      taken = Math.min(Math.max(offset, from), end());
    },
  };
};

/** Posts a call's progress, one post at a time and at most four a second; updates in between are merged. */
export const createProgressReporter = (
  clock: Clock,
  post: (body: ProgressBody) => Promise<Reply<ProgressReply>>,
) => {
  const kept = createKeptOutput();
  let unsent: ProgressBody | null = null;
  let actions: NonNullable<ProgressBody['actions']> = [];
  let busy = false;
  let ended = false;
  const timer = createTimer(clock);
  const notify = (earlier: ProgressBody | null, later: ProgressBody | null) => {
    unsent = { ...earlier, ...later };
  };

  const flush = async (): Promise<void> => {
    if (busy || ended || (unsent === null && kept.isTaken() && actions.length === 0)) return;
    busy = true;
    const update = unsent;
    unsent = null;
    const output = kept.next();
    const opened = actions;
    const startedAt = clock.now();
    const reply = await post({ ...update, ...output, ...(opened.length > 0 && { actions: opened }) });
    const away = isAway(reply);
    if (away) notify(update, unsent);
    else {
      actions = actions.filter((one) => !opened.includes(one));
      const postedTo = (output.outputOffset ?? 0) + (output.output?.length ?? 0);
      kept.takenTo((reply.ok ? reply.value.outputEnd : undefined) ?? postedTo);
    }
    const restMs = away ? againMs : Math.max(0, everyMs - (clock.now() - startedAt));
    if (ended) return;
    timer.start(restMs, () => {
      busy = false;
      void flush();
    });
  };

  return {
    report: ({ output = '', actions: more = [], ...update }: ProgressBody) => {
      kept.add(output);
      actions = [...actions, ...more];
      notify(unsent, update);
      void flush();
    },
    end: () => {
      ended = true;
      timer.cancel();
    },
  };
};
