import type { Release } from '@drawbridge/contracts/release';
import type { Environment } from '../../config.ts';
import type { Answer } from './answer.ts';

export interface CommandContext {
  environment: Environment;
  release: Release;
  write(text: string): void;
  /** One sentence beside the answer, on stderr. */
  notify(sentence: string): void;
  isTerminal: boolean;
  signal: AbortSignal;
}

export type AnswerWith = (
  options: { json?: boolean },
  run: (context: CommandContext) => Promise<Answer>,
) => Promise<void>;

export const jsonFlag = ['--json', 'print JSON, for scripts'] as const;
