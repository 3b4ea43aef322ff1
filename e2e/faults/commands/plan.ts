import { usualAnswers, type PlannedAnswer } from '../answers.ts';
import { createRandom } from '../../harness/random.ts';

/** A process in the background whose output is read on, and a command that reaches a site of this machine. */
export const commandTools = ['process', 'network'] as const;

export interface PlannedCommand {
  kind: 'call';
  op: string;
  user: number;
  tool: (typeof commandTools)[number];
  /** Between the first and the last mark of a command. */
  takesMs: number;
  answer: PlannedAnswer;
  answerAfterMs: number;
  /** Cancels from the panel, twice. */
  cancelAfterMs: number | null;
  /** The caller hangs up. */
  leaveAfterMs: number | null;
}

const firstOp = 400_000;

/** Commands that a plain one is not, in order of time. Pure. */
export const createCommandsPlan = (
  seed: number,
  users: number,
  forMs: number,
): ({ atMs: number } & PlannedCommand)[] => {
  // Numbers of its own: what else happens in a seed stays what it is.
  const random = createRandom(seed ^ 0x6a09e667);
  const steps: ({ atMs: number } & PlannedCommand)[] = [];
  for (let atMs = 1_000, n = 0; atMs < forMs; atMs += random.whole(400, 4_000), n += 1) {
    const answer = random.pick(usualAnswers);
    steps.push({
      atMs,
      kind: 'call',
      op: `op-${firstOp + n}`,
      user: random.whole(0, users - 1),
      tool: random.pick(commandTools),
      takesMs: random.pick([0, 100, 500, 1_500, 4_000, 8_000]),
      answer,
      answerAfterMs: random.pick([0, 0, 200, 1_000]),
      cancelAfterMs: answer === 'never' ? random.whole(5_000, 15_000) : null,
      leaveAfterMs: random.chance(0.1) ? random.whole(0, 3_000) : null,
    });
  }
  return steps;
};
