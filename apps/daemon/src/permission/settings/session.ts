import { statSync } from 'node:fs';
import type { Mode, ToolGroup } from '@drawbridge/contracts/groups';
import type { Clock } from '@drawbridge/kit';
import type { Modes } from '../rules/modes.ts';
import type { Rule } from '../rules/rule.ts';

/** A rule that ends with the session, or earlier: `endsAt` in milliseconds since 1970. */
export interface SessionRule {
  rule: Rule;
  endsAt: number | null;
  /** Device and inode of the root for which it was made. */
  madeFor: string;
}

/** What stands at a path: another disk that is mounted there is another folder. */
const identityOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'missing' : `${found.dev} ${found.ino}`;
};

/**
 * What holds until explicit disconnect: modes from flags and edits, and what was allowed for the session.
 * A rule ends when another folder stands at `root`.
 */
export const createSession = (needs: { clock: Clock; modes?: Partial<Modes>; root: string }) => {
  const { clock, modes = {}, root } = needs;
  let rules: SessionRule[] = [];
  let lookedAtMs = 0;
  const drop = () => {
    const nowMs = clock.now();
    // After that a permission for some time would hold for longer than the person said.
    const wasSetBack = nowMs < lookedAtMs;
    lookedAtMs = nowMs;
    if (rules.length === 0) return;
    const now = identityOf(root);
    const isOver = ({ endsAt, madeFor }: SessionRule) =>
      (endsAt !== null && (endsAt <= nowMs || wasSetBack)) || madeFor !== now;
    if (rules.some(isOver)) rules = rules.filter((one) => !isOver(one));
  };
  return {
    modes: () => modes,
    /** For a group that follows the settings file there is nothing to do. */
    tighten: (group: ToolGroup, mode: Mode) => {
      if (modes[group] !== undefined) modes[group] = mode;
    },
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
      const madeFor = identityOf(root);
      rules = [...rules, ...more.map((rule) => ({ rule: { ...rule, madeAt }, endsAt, madeFor }))];
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
