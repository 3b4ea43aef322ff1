import { readingsOf, type Reading } from './command-words.ts';

/** A rule holds for all that begins as it does; what it says beyond these words is not compared. */
const comparedWords = 32;
/** Of one rule: what its text may start beyond these is denied as the whole text alone. */
const maxReadings = 1_000;

/** Words that lead to a rule: one branch for each next word. */
interface Branch {
  /** The first of the rules that end here. */
  rule: number;
  next: Map<string, Branch>;
}

const noRule = Number.POSITIVE_INFINITY;
const createBranch = (): Branch => ({ rule: noRule, next: new Map() });

const wordAt = ({ program, words, from }: Reading, at: number): string | undefined =>
  at === 0 ? program : words[from + at - 1];

/** The denied commands of all rules in one tree: a reading is compared once, however many rules there are. */
export const createDeniedCommands = () => {
  const root = createBranch();

  const addReading = (reading: Reading, rule: number) => {
    let branch = root;
    for (let at = 0; at < comparedWords; at += 1) {
      const word = wordAt(reading, at);
      if (word === undefined) break;
      const next = branch.next.get(word) ?? createBranch();
      branch.next.set(word, next);
      branch = next;
    }
    branch.rule = Math.min(branch.rule, rule);
  };

  const firstFor = (reading: Reading): number => {
    let first = noRule;
    let branch: Branch | undefined = root;
    for (let at = 0; branch !== undefined && branch.next.size > 0; at += 1) {
      const word = wordAt(reading, at);
      branch = word === undefined ? undefined : branch.next.get(word);
      if (branch !== undefined) first = Math.min(first, branch.rule);
    }
    return first;
  };

  return {
    /** `rule`: its place in the list. */
    add: (text: string, rule: number): void => {
      for (const reading of readingsOf(text).slice(0, maxReadings)) addReading(reading, rule);
    },
    /** The place of the first rule that denies a program of this text; undefined for none. */
    firstMet: (text: string): number | undefined => {
      if (root.next.size === 0) return undefined;
      const first = readingsOf(text).reduce((least, reading) => Math.min(least, firstFor(reading)), noRule);
      return first === noRule ? undefined : first;
    },
  };
};

export type DeniedCommands = ReturnType<typeof createDeniedCommands>;
