import { CodedError } from '@drawbridge/kit';

/** The message and fix of an error, for a person. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof CodedError) return [error.message, error.fix].filter(Boolean).join('. ');
  return error instanceof Error ? error.message : 'Something went wrong';
};

/** Prints an error and exits with 1. */
export const fail = (sentence: string): never => {
  process.stderr.write(`error  ${sentence}\n`);
  process.exit(1);
};
