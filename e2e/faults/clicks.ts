import type { Confirmation, ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import { sleep, systemClock } from '@drawbridge/kit';
import type { Person } from '../harness/index.ts';
import { codeOf } from './code-of.ts';
import type { History } from './history.ts';
import { opIn } from './marks.ts';
import type { PlannedAnswer } from './answers.ts';

/** The plan for the questions about an op. */
export interface PlannedClicks {
  op: string;
  answer: PlannedAnswer;
  answerAfterMs: number;
}

/** Answers a person's questions as the plan has it. */
export interface Clicks {
  plan(clicks: PlannedClicks): void;
  /** From now on every question is answered, also those that were to stay open. */
  answerAll(): void;
  stop(): void;
}

const everyMs = 250;
/** The click had no effect; what a balancer says has no code. */
const unanswered = new Set(['NO_ANSWER', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN']);
/** A click on something that was decided long ago. */
const lateMs = 2_000;

const allow: ConfirmationAnswer = { approved: true, resourceDecision: 'allowOnce' };
const deny: ConfirmationAnswer = { approved: false, resourceDecision: 'denyOnce' };

const clicksOf: Record<PlannedAnswer, ConfirmationAnswer[]> = {
  allow: [allow],
  'allow-session': [{ approved: true, resourceDecision: 'allowForSession' }],
  deny: [deny],
  refuse: [{ approved: false }],
  both: [allow, deny, allow],
  never: [],
};

export const createClicks = (person: Person, history: History): Clicks => {
  const plans = new Map<string, PlannedClicks>();
  const handled = new Set<string>();
  let all = false;
  let stopped = false;

  const click = async ({ id, requestId }: Confirmation, answer: ConfirmationAnswer): Promise<boolean> => {
    const { approved } = answer;
    history.note({ type: 'click', confirmationId: id, requestId, approved });
    try {
      const reply = await person.api.confirmations.decide.mutate({ confirmationId: id, ...answer });
      const { decision } = reply;
      history.note({ type: 'decided', confirmationId: id, approved: reply.approved, decision });
      return true;
    } catch (error) {
      const code = codeOf(error);
      history.note({ type: 'click-refused', confirmationId: id, code });
      return !unanswered.has(code);
    }
  };

  const handle = async (confirmation: Confirmation) => {
    const planned = plans.get(opIn(JSON.stringify(confirmation.arguments)) ?? '');
    const answers = planned ? clicksOf[planned.answer] : [];
    const wanted = answers.length === 0 ? [deny] : answers;
    if (!all) await sleep(systemClock, planned?.answerAfterMs ?? 0);
    const heard = await Promise.all(wanted.map((answer) => click(confirmation, answer)));
    // The click had no effect: the question is still displayed, and is clicked again.
    if (!heard.some(Boolean)) return handled.delete(confirmation.id);
    await sleep(systemClock, lateMs);
    return click(confirmation, allow);
  };

  const isFor = (confirmation: Confirmation) => {
    if (handled.has(confirmation.id)) return false;
    const planned = plans.get(opIn(JSON.stringify(confirmation.arguments)) ?? '');
    return all || (planned !== undefined && planned.answer !== 'never');
  };

  const lookOn = async () => {
    while (!stopped) {
      const open = await person.api.confirmations.list.query().catch(() => []);
      for (const confirmation of open.filter(isFor)) {
        handled.add(confirmation.id);
        void handle(confirmation);
      }
      await sleep(systemClock, everyMs);
    }
  };
  void lookOn();

  return {
    plan: (planned) => void plans.set(planned.op, planned),
    answerAll: () => {
      all = true;
    },
    stop: () => {
      stopped = true;
    },
  };
};
