import type { SettledBody } from '@drawbridge/contracts/daemon-surface';
import { createSerialQueue, createTimer, type Clock } from '@drawbridge/kit';
import type { Gate } from './gate.ts';

/** How often rules from elsewhere (command line, panel, another daemon) are read while a question is open. */
const checkEveryMs = 1_000;

export interface SettlerNeeds {
  clock: Clock;
  gate: Pick<Gate, 'onChange' | 'settle' | 'openQuestions'>;
  /** Reports to the server; gives how many it settled, or null where it cannot be reached now. */
  report(body: SettledBody): Promise<number | null>;
  /** How many questions were settled beside the one that was answered. */
  settled(count: number): void;
}

/** Settles open questions as soon as a rule covers them. Gives a function that stops it. */
export const createSettler = ({ clock, gate, report, settled }: SettlerNeeds): (() => void) => {
  /** What is covered and not reported yet, by its `askId`, with the call whose answer made the rule. */
  const causes = new Map<string, string | undefined>();
  const reported = new Set<string>();
  const inTurn = createSerialQueue();
  const timer = createTimer(clock);
  let isLooking = false;
  let stopped = false;

  const reportSettled = async (
    by: string | undefined,
    questions: SettledBody['questions'],
  ): Promise<number> => {
    const count = questions.length === 0 ? 0 : await report({ ...(by !== undefined && { by }), questions });
    if (count === null) return 0;
    for (const { askId } of questions) {
      causes.delete(askId);
      reported.add(askId);
    }
    return count;
  };

  const settle = async (by: string | undefined): Promise<void> => {
    const { here, elsewhere } = await gate.settle();
    const open = new Set(elsewhere.map(({ askId }) => askId));
    for (const askId of [...causes.keys(), ...reported].filter((id) => !open.has(id))) {
      causes.delete(askId);
      reported.delete(askId);
    }
    for (const { askId } of elsewhere) if (!reported.has(askId) && !causes.has(askId)) causes.set(askId, by);
    let count = here;
    for (const cause of new Set(causes.values())) {
      const own = elsewhere.filter(({ askId }) => causes.has(askId) && causes.get(askId) === cause);
      count += await reportSettled(cause, own);
    }
    if (count > 0) settled(count);
  };

  /** A settings file that is broken settles nothing; each call says so. */
  const settleInTurn = (by?: string): Promise<void> =>
    inTurn(async () => (stopped ? undefined : settle(by))).catch(() => undefined);

  const watch = () => {
    if (isLooking || stopped) return;
    isLooking = true;
    timer.start(checkEveryMs, async () => {
      await settleInTurn();
      isLooking = false;
      if (gate.openQuestions() > 0) watch();
    });
  };

  const stopListening = gate.onChange((change) => {
    watch();
    if (change.kind === 'ruled') void settleInTurn(change.requestId);
  });
  return () => {
    stopped = true;
    stopListening();
    timer.cancel();
  };
};
