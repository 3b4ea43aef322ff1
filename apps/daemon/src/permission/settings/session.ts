import type { Clock } from '@drawbridge/kit';
import type { Modes } from '../rules/modes.ts';
import type { Rule } from '../rules/rule.ts';

/** A rule that ends with the session, or earlier: `endsAt` in milliseconds since 1970. */
export interface SessionRule {
  rule: Rule;
  endsAt: number | null;
}

/** What holds until explicit disconnect: modes from flags and edits, and what was allowed for the session. */
export const createSession = (needs: { clock: Clock; modes?: Partial<Modes> }) => {
  const { clock, modes = {} } = needs;
  let rules: SessionRule[] = [];
  const drop = () => {
    const nowMs = clock.now();
    if (rules.some(({ endsAt }) => endsAt !== null && endsAt <= nowMs))
      rules = rules.filter(({ endsAt }) => endsAt === null || endsAt > nowMs);
  };
  return {
    modes: () => modes,
    rules: () => {
      drop();
      return rules;
    },
    /** `forMs`: they expire after that. */
    allow: (more: readonly Rule[], forMs?: number) => {
      drop();
      const nowMs = clock.now();
      const madeAt = new Date(nowMs).toISOString();
      const endsAt = forMs === undefined ? null : nowMs + forMs;
      rules = [...rules, ...more.map((rule) => ({ rule: { ...rule, madeAt }, endsAt }))];
    },
    remove: (rule: SessionRule) => {
      const kept = rules.filter((other) => other !== rule);
      const isRemoved = kept.length < rules.length;
      rules = kept;
      return isRemoved;
    },
    /** Forgets what was allowed; the modes were set for the run of the program and stay. */
    end: () => {
      rules = [];
    },
  };
};

export type Session = ReturnType<typeof createSession>;
