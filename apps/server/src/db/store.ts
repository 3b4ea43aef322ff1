import type { Kysely, RawBuilder } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Rights } from './rights.ts';
import type { Schema } from './schema.ts';
import type { Commit } from './write.ts';

/** Connections of the pool. `waiting`: statements and transactions that wait for one. */
export interface StoreConnections {
  used: number;
  idle: number;
  waiting: number;
}

export interface Store extends Rights {
  db: Kysely<Schema>;
  /** Statements that only one of the two accepts are chosen by it. */
  dialect: Dialect;
  commit: Commit;
  /** Changes after another process has changed the store, within half a second. */
  othersChanged(): number;
  /** Connections to the database; undefined where it is a file. */
  connections?(): StoreConnections;
  /** The time of the database, in milliseconds since 1970: the same for every server of the store. */
  now(): Promise<number>;
  /** The same as a column of a query: not after what the query reads. */
  readTime(): RawBuilder<number>;
}

export interface OpenDatabase extends Store {
  /**
   * Runs what makes or changes tables while no other process does, on a database without time-outs. Readers
   * and writers go on.
   */
  whileMigrating<Result>(run: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
