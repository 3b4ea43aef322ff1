import type { ProgressReply } from '@drawbridge/contracts/daemon-reply';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { maxPostedEvents, type TurnProgress } from '@drawbridge/contracts/machines/runtimes';
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

/** Events of a coding agent's turn that the server does not have yet, and the newest text behind them. */
const createKeptTurn = () => {
  let events: TurnProgress['events'] = [];
  let from = 0;
  let text: TurnProgress['text'];

  return {
    add: (more: TurnProgress) => {
      events.push(...more.events);
      const { text: later } = more;
      text =
        text && later?.type === text.type && later.offset === text.offset + text.text.length
          ? { ...text, text: text.text + later.text }
          : later;
    },
    isTaken: () => events.length === 0 && text === undefined,
    next: (): { turn?: TurnProgress } => {
      if (events.length === 0 && text === undefined) return {};
      const posted = events.slice(0, maxPostedEvents);
      const isAll = posted.length === events.length;
      const turn = { from, events: posted, ...(isAll && text && { text }) };
      if (isAll) text = undefined;
      return { turn };
    },
    takenTo: (count: number) => {
      const taken = Math.min(Math.max(count - from, 0), events.length);
      events = events.slice(taken);
      from += taken;
    },
  };
};

/** Posts a call's progress, one post at a time and at most four a second; updates in between are merged. */
export const createProgressReporter = (
  clock: Clock,
  post: (body: ProgressBody) => Promise<Reply<ProgressReply>>,
) => {
  const kept = createKeptOutput();
  const turn = createKeptTurn();
  let unsent: ProgressBody | null = null;
  let actions: NonNullable<ProgressBody['actions']> = [];
  let busy = false;
  let ended = false;
  const timer = createTimer(clock);
  const notify = (earlier: ProgressBody | null, later: ProgressBody | null) => {
    unsent = { ...earlier, ...later };
  };

  const flush = async (): Promise<void> => {
    if (busy || ended || (unsent === null && kept.isTaken() && turn.isTaken() && actions.length === 0))
      return;
    busy = true;
    const update = unsent;
    unsent = null;
    const output = kept.next();
    const opened = actions;
    const startedAt = clock.now();
    const did = turn.next();
    const reply = await post({
      ...{ ...update, ...output, ...did },
      ...(opened.length > 0 && { actions: opened }),
    });
    const away = isAway(reply);
    if (away) notify(update, unsent);
    else {
      actions = actions.filter((one) => !opened.includes(one));
      const postedTo = (output.outputOffset ?? 0) + (output.output?.length ?? 0);
      kept.takenTo((reply.ok ? reply.value.outputEnd : undefined) ?? postedTo);
      const { from = 0, events = [] } = did.turn ?? {};
      turn.takenTo((reply.ok ? reply.value.turnEvents : undefined) ?? from + events.length);
    }
    const restMs = away ? againMs : Math.max(0, everyMs - (clock.now() - startedAt));
    if (ended) return;
    timer.start(restMs, () => {
      busy = false;
      void flush();
    });
  };

  return {
    report: ({ output = '', actions: more = [], turn: did, ...update }: ProgressBody) => {
      kept.add(output);
      if (did) turn.add(did);
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
