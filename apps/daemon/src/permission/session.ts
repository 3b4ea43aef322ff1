import type { Modes } from './modes.ts';
import type { Rule } from './rules.ts';

/** What holds until explicit disconnect: modes from flags and edits, and what was allowed for the session. */
export interface Session {
  modes(): Partial<Modes>;
  allowed(): readonly Rule[];
  allow(rules: readonly Rule[]): void;
  /** Forgets what was allowed; the modes were set for the run of the program and stay. */
  end(): void;
}

export const createSession = (modes: Partial<Modes> = {}): Session => {
  let rules: Rule[] = [];
  return {
    modes: () => modes,
    allowed: () => rules,
    allow: (more) => {
      rules = [...rules, ...more];
    },
    end: () => {
      rules = [];
    },
  };
};
