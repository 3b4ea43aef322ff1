import type { ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import type { Reach } from '@drawbridge/contracts/confirmation-payload';
import { isDenial, type Decision } from '@drawbridge/contracts/groups';

/** The five decisions in the record of a call, which does not contain the chosen time span. */
export const doneWords: Record<Decision, string> = {
  allowOnce: 'Allowed',
  allowForSession: 'Allowed temporarily',
  alwaysAllow: 'Always allowed',
  denyOnce: 'Denied',
  alwaysDeny: 'Never allowed',
};

/** The user's choice; `reach` is the id of a scope that the machine offered with the decision. */
export interface Choice {
  decision: Decision;
  reach?: string;
  /** Of a denial, for the caller. */
  reason?: string;
}

export const answerOf = ({ decision, reach, reason }: Choice): ConfirmationAnswer => ({
  approved: !isDenial(decision),
  resourceDecision: decision,
  ...(reach !== undefined && { reach }),
  ...(reason !== undefined && { reason }),
});

const minutesOf = (durationMs: number): string => {
  const minutes = Math.max(1, Math.round(durationMs / 60_000));
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
};

/** How long an allow decision is valid: "15 minutes", "this session", "always". */
export const spanOf = (decision: 'allowForSession' | 'alwaysAllow', reach?: Reach): string => {
  if (decision === 'alwaysAllow') return 'always';
  return reach?.durationMs === undefined ? 'this session' : minutesOf(reach.durationMs);
};

/** A lasting allow decision that can be selected. */
export interface Span {
  key: string;
  words: string;
  choice: Choice;
}

/** What a lasting answer may cover, narrowest first as the machine lists them, and for how long. */
export interface Scope {
  scope: string;
  /** Empty for exactly the resources of the question. */
  label: string;
  /** Who alone it is for, in words; absent: every caller. */
  caller?: string;
  spans: Span[];
  /** A permanent denial that covers the same. */
  never: Choice | undefined;
}

const lasting = ['allowForSession', 'alwaysAllow'] as const;

/** What a reach covers, without who it is for, which stands before it. */
const labelOf = ({ label, caller }: Pick<Reach, 'label' | 'caller'>): string => {
  const end = caller === undefined ? '' : `, only for ${caller}`;
  return label.endsWith(end) ? label.slice(0, label.length - end.length) : label;
};

const scopeOf = (scope: string, reaches: readonly Reach[], options: readonly Decision[]): Scope => {
  const own = reaches.filter((reach) => reach.scope === scope);
  const timedFirst = own.toSorted((a, b) => (a.durationMs ?? Infinity) - (b.durationMs ?? Infinity));
  const spans = lasting.flatMap((decision) =>
    options.includes(decision)
      ? timedFirst
          .filter((reach) => reach.decisions.includes(decision))
          .map((reach) => ({
            key: `${decision} ${reach.id}`,
            words: spanOf(decision, reach),
            choice: { decision, reach: reach.id },
          }))
      : [],
  );
  const denying = own.find((reach) => reach.decisions.includes('alwaysDeny'));
  const never =
    denying && options.includes('alwaysDeny')
      ? ({ decision: 'alwaysDeny', reach: denying.id } as const)
      : undefined;
  const [{ label, caller } = { label: '' }] = own;
  return { scope, label: labelOf({ label, caller }), ...(caller && { caller }), spans, never };
};

/** The lasting answers to a question. Without reaches they cover exactly its resources. */
export const scopesOf = (options: readonly Decision[], reaches: readonly Reach[]): Scope[] => {
  if (reaches.length > 0)
    return [...new Set(reaches.map(({ scope }) => scope))]
      .map((scope) => scopeOf(scope, reaches, options))
      .filter(({ spans, never }) => spans.length > 0 || never !== undefined);
  const spans = lasting
    .filter((decision) => options.includes(decision))
    .map((decision) => ({ key: decision, words: spanOf(decision), choice: { decision } }));
  const never = options.includes('alwaysDeny') ? ({ decision: 'alwaysDeny' } as const) : undefined;
  return spans.length > 0 || never ? [{ scope: 'exact', label: '', spans, never }] : [];
};
