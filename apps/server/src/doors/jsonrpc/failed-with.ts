import type { Failure } from './protocol/error.ts';

/** An error that says exactly what its frame has. */
export class FailedWith extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
