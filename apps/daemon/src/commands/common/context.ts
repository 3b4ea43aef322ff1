import type { Release } from '@drawbridge/contracts/release';
import type { Environment } from '../../config.ts';
import type { Answer } from './answer.ts';

/** What a command has at hand. */
export interface CommandContext {
  environment: Environment;
  /** What runs here. */
  release: Release;
  /** Text on stdout. */
  write(text: string): void;
  /** One sentence beside the answer, on stderr. */
  notify(sentence: string): void;
  /** Whether a person can be asked here. */
  isTerminal: boolean;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Runs a command and prints its answer, as JSON where a script asks for it. */
export type AnswerWith = (
  options: { json?: boolean },
  run: (context: CommandContext) => Promise<Answer>,
) => Promise<void>;

export const jsonFlag = ['--json', 'print JSON, for scripts'] as const;
