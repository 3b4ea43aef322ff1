import { CodedError } from '@drawbridge/kit';

/** What a person reads of an error. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof CodedError) return [error.message, error.fix].filter(Boolean).join('. ');
  return error instanceof Error ? error.message : 'Something went wrong';
};

/** Ends the process with one sentence. */
export const fail = (sentence: string): never => {
  process.stderr.write(`error  ${sentence}\n`);
  process.exit(1);
};
