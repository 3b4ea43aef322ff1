/**
 * Why a place is not reached; `unasked` is the one that a question can change. `process`: a port of a process
 * that does not run, or is another caller's.
 */
export type Refusal = 'server' | 'denied' | 'never' | 'local' | 'process' | 'unasked';

/** Also: the first bytes do not belong to the host, the request is not one, or nothing answers there. */
export type Failure = Refusal | 'protocol' | 'request' | 'unreachable';

/** Ends one connection. */
export class Refused extends Error {
  readonly reason: Failure;

  constructor(reason: Failure) {
    super(reason);
    this.reason = reason;
  }
}
