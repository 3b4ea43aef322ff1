import type { CompiledQuery } from 'kysely';

/**
 * `synced`: on disk when it resolves, safe against a power cut. `kept`: safe against the end of this process;
 * a power cut can lose it until the next sync. `lazy`: the same, and the end of Postgres can lose it too.
 * `trailing`: the same, and on SQLite it waits up to 10 ms for a write that takes it along, or for a read.
 */
export type Durability = 'synced' | 'kept' | 'lazy' | 'trailing';

/** A query, and with `rows` how many rows it must change: exactly one, or at least one. */
export type Write = CompiledQuery | { query: CompiledQuery; rows: 1 | 'some' };

/**
 * Runs the writes in one transaction, possibly more than once; resolves at the requested durability. Rejects
 * with `OutdatedError` if a write for one row changes none.
 */
export type Commit = (writes: readonly Write[], durability: Durability) => Promise<void>;

/** Thrown by `Commit` if a statement for one row changed none: another writer changed the row first. */
export class OutdatedError extends Error {
  override name = 'OutdatedError';
  constructor() {
    super('The row has changed since it was read');
  }
}
