import { createTimer, cutText, type Clock } from '@drawbridge/kit';
import { endedBy, runtimeErrors, type RunningProgram, type TurnEvents } from './driver.ts';

const startMs = 30_000;
/** For the program to end a cancelled turn; after that everything is killed. */
const cancelMs = 1_000;
/** Without a frame, an open request or a running action. */
const silenceMs = 10 * 60_000;

/** Rejects with the reason of its end where the program ends first. */
export const unlessEnded = <T>(program: RunningProgram, work: Promise<T>): Promise<T> => {
  const end = program.ended.then((why): never => {
    throw runtimeErrors.failed({ message: `The coding agent ended: ${why}` });
  });
  return Promise.race([work, end]);
};

/** Rejects where the program does not answer in time. */
export const within = async <T>(clock: Clock, work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(startMs, () =>
    late.reject(runtimeErrors.unavailable({ message: 'The coding agent did not answer within 30 s' })),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
};

interface OpenTurn {
  /** Whether a request waits for an answer, or an action runs. */
  isBusy(): boolean;
  fail(error: Error): void;
}

/** Ends a turn in which the program says nothing. Called for each frame, and when the turn begins. */
export const createSilence = (clock: Clock, open: () => OpenTurn | undefined) => {
  const timer = createTimer(clock);
  const watch = () => {
    if (open() === undefined) return;
    timer.start(silenceMs, () => {
      if (open()?.isBusy() === true) return watch();
      open()?.fail(runtimeErrors.failed({ message: 'The coding agent said nothing for 10 min' }));
    });
  };
  return { watch, stop: timer.cancel };
};

/** An action that may be asked about. */
interface Asked {
  n: number;
  isWithdrawn?: true;
  isOver: boolean;
}

const maxOutput = 4_000;

/** The ends of the actions of a turn, and its questions that wait for an answer. */
export const createAsking = <Action extends Asked>(event: TurnEvents['event']) => {
  let count = 0;
  const end = (action: Action, status: 'completed' | 'failed' | 'denied', text: string) => {
    if (action.isOver) return;
    action.isOver = true;
    event({ type: 'action-end', n: action.n, status, text: cutText(text, maxOutput) });
  };
  return {
    end,
    isAsking: () => count > 0,
    /** A withdrawn question ends its action at once: a frame that follows may say that it acted. */
    wait: async <T>(action: Action, withdrawal: AbortSignal, answer: Promise<T>): Promise<T> => {
      const onWithdrawn = () => {
        action.isWithdrawn = true;
        end(action, 'denied', endedBy(withdrawal));
      };
      withdrawal.addEventListener('abort', onWithdrawn, { once: true });
      count += 1;
      return answer.finally(() => (count -= 1));
    },
  };
};

export type Asking<Action extends Asked> = ReturnType<typeof createAsking<Action>>;

/** Runs a turn: an abort says `cancel` to the program, and kills it a second later. */
export const cancellable = async <T>(
  { clock, program, signal }: { clock: Clock; program: RunningProgram; signal: AbortSignal },
  cancel: () => void,
  work: Promise<T>,
): Promise<T> => {
  let stopGrace = () => {};
  const onAbort = () => {
    cancel();
    stopGrace = clock.after(cancelMs, program.kill);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work;
  } finally {
    signal.removeEventListener('abort', onAbort);
    stopGrace();
  }
};
