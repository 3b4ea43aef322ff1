import {
  decisions,
  denyingDecisions,
  type ConfirmationAnswer,
  type Decision,
  type Reach,
} from '@drawbridge/contracts';

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

/** What the person chose; `reach` is the id of one that the machine offered with the decision. */
export interface Choice {
  decision: Decision;
  reach?: string;
}

export const answerOf = ({ decision, reach }: Choice): ConfirmationAnswer => ({
  approved: !denies(decision),
  resourceDecision: decision,
  ...(reach !== undefined && { reach }),
});

/** What a lasting decision may cover, one a scope, the narrowest first as the machine lists them. */
export interface Scope {
  scope: string;
  label: string;
  /** For as long as the decision says. */
  lasting: Reach | undefined;
  /** An allowance that ends by itself. */
  timed: Reach | undefined;
}

export const scopesOf = (reaches: readonly Reach[]): Scope[] =>
  [...new Set(reaches.map(({ scope }) => scope))].map((scope) => {
    const own = reaches.filter((reach) => reach.scope === scope);
    return {
      scope,
      label: own[0]?.label ?? '',
      lasting: own.find(({ durationMs }) => durationMs === undefined),
      timed: own.find(
        ({ durationMs, decisions: goesWith }) =>
          durationMs !== undefined && goesWith.includes('allowForSession'),
      ),
    };
  });

/** A decision with the reach of a scope, where the machine offered the two together. */
export const choiceOf = (decision: Decision, scope: Scope | undefined): Choice =>
  scope?.lasting?.decisions.includes(decision) ? { decision, reach: scope.lasting.id } : { decision };

export const minutesOf = ({ durationMs = 0 }: Reach): string => {
  const minutes = Math.max(1, Math.round(durationMs / 60_000));
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
};
