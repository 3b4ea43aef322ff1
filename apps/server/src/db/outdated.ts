/** Thrown by `Commit` if a statement for one row changed none: another writer changed the row first. */
export class OutdatedError extends Error {
  override name = 'OutdatedError';
  constructor() {
    super('The row has changed since it was read');
  }
}
