import type { FormAnswer, TurnProgress } from '@drawbridge/contracts/machines/runtimes';
import type { CallRecord } from './call.ts';

/** A post about the turn of a coding agent that answers a thread. */
export interface TurnReport {
  userId: string;
  requestId: string;
  turn?: TurnProgress | undefined;
  /** Actions whose form has no answer yet. */
  forms: readonly number[];
}

/** How many events of the turn are stored, undefined where none are kept; and what the person answered. */
export interface TurnReply {
  turnEvents?: number | undefined;
  answers: FormAnswer[];
}

/** Stores what is new of it. */
export type TurnListener = (report: TurnReport) => Promise<TurnReply>;

export type TurnEvents = ReturnType<typeof createTurnEvents>;

const unanswered = (forms: readonly number[]): TurnReply => ({
  answers: forms.map((n) => ({ n, answers: null })),
});

/** What coding agents do in the turns of threads, for the one listener that stores it. */
export const createTurnEvents = () => {
  let listener: TurnListener = async ({ forms }) => unanswered(forms);
  return {
    listen: (next: TurnListener): void => {
      listener = next;
    },
    report: async (
      { userId, requestId, via }: CallRecord,
      { turn, forms = [] }: { turn?: TurnProgress | undefined; forms?: number[] | undefined },
    ): Promise<{ turnEvents?: number; answers?: FormAnswer[] }> => {
      if (turn === undefined && forms.length === 0) return {};
      const isOfThread = via?.kind === 'thread';
      const reply = isOfThread ? await listener({ userId, requestId, turn, forms }) : unanswered(forms);
      const { turnEvents, answers } = reply;
      return { ...(turnEvents !== undefined && { turnEvents }), ...(answers.length > 0 && { answers }) };
    },
  };
};
