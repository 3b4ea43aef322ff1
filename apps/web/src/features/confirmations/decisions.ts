import { decisions, denyingDecisions, type ConfirmationAnswer, type Decision } from '@drawbridge/contracts';

/** The five decisions in words. `covers` says how long the answer holds. */
export const decisionWords: Record<Decision, { label: string; done: string; covers: string }> = {
  allowOnce: { label: 'Allow once', done: 'Allowed once', covers: 'This call only' },
  allowForSession: {
    label: 'Allow for this session',
    done: 'Allowed for the session',
    covers: 'Until the machine disconnects',
  },
  alwaysAllow: { label: 'Always allow', done: 'Always allowed', covers: 'Kept on the machine' },
  denyOnce: { label: 'Deny once', done: 'Denied once', covers: 'This call only' },
  alwaysDeny: { label: 'Always deny', done: 'Always denied', covers: 'Kept on the machine' },
};

export const denies = (decision: Decision): boolean =>
  denyingDecisions.some((denying) => denying === decision);

/** The decisions that were offered, in the fixed order. */
export const offered = (options: readonly Decision[]): Decision[] =>
  decisions.filter((decision) => options.includes(decision));

export const answerOf = (decision: Decision): ConfirmationAnswer => ({
  approved: !denies(decision),
  resourceDecision: decision,
});
