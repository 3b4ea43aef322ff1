import type { Release } from '@drawbridge/contracts/release';
import type { Environment } from '../../config.ts';
import type { Row } from '../../terminal/row.ts';
import { errors } from './errors.ts';

export interface CommandContext {
  environment: Environment;
  release: Release;
  write(text: string): void;
  /** Lines for a person, wrapped on a terminal. */
  print(text: string): void;
  /** One sentence beside the answer, on stderr. */
  notify(sentence: string): void;
  isTerminal: boolean;
  signal: AbortSignal;
}

export interface Answer {
  /** Lines for a person; what they hold is escaped already. A line that is false is left out. */
  text(row: Row): readonly (string | false)[];
  json: unknown;
  /** 1: it works as asked, and the answer is no. */
  code: 0 | 1;
}

/** The answer of a command that has nothing for scripts. */
export const inWords = (...lines: string[]): Answer => ({ text: () => lines, json: null, code: 0 });

export type AnswerWith = (
  options: { json?: unknown },
  run: (context: CommandContext) => Promise<Answer>,
) => Promise<void>;

export const jsonFlag = ['--json', 'print JSON, for scripts'] as const;

/** Asks yes or no on stderr; null for a cancelled prompt. The prompts are loaded when they are needed. */
export const askYesOrNo = async (message: string, initialValue: boolean): Promise<boolean | null> => {
  const prompts = await import('@clack/prompts');
  const answer = await prompts.confirm({ output: process.stderr, message, initialValue });
  return prompts.isCancel(answer) ? null : answer;
};

/** The same, where a cancelled prompt is a no. */
export const confirm = async (message: string, initialValue: boolean): Promise<boolean> =>
  (await askYesOrNo(message, initialValue)) === true;

/** Throws `wrongUse` with this message without a terminal and without `--yes`. */
export const mustBeAskable = (yes: boolean, { isTerminal }: CommandContext, message: string): void => {
  if (!yes && !isTerminal) throw errors.wrongUse({ message, fix: 'Add --yes.' });
};
