/** Thrown by `Commit` where a statement that must change one row changed none: somebody else has changed it first. */
export class OutdatedError extends Error {
  override name = 'OutdatedError';
  constructor() {
    super('The row has changed since it was read');
  }
}
