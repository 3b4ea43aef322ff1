import type { Environment } from '../config.ts';
import type { Answer } from './answer.ts';

/** What a command has at hand. */
export interface CommandContext {
  environment: Environment;
  version: string;
  /** Text on stdout. */
  write(text: string): void;
  /** One sentence beside the answer, on stderr. */
  say(sentence: string): void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Runs a command and prints its answer, as JSON where a script asks for it. */
export type AnswerWith = (
  options: { json?: boolean },
  run: (context: CommandContext) => Promise<Answer>,
) => Promise<void>;

export const jsonFlag = ['--json', 'print JSON, for scripts'] as const;
