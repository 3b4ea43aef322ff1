import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { Rows, TableName } from './rows.ts';

/** Columns with the value that they must have, or one of several. */
export type Where<Row> = { [Column in keyof Row]?: Row[Column] | readonly Row[Column][] };
/** The rows of one user alone. */
export type OwnWhere<Row> = Where<Row> & { userId: string };

/** Numbers to add to columns; a null column counts as 0. */
export type Numbers<Row> = {
  [Column in keyof Row as NonNullable<Row[Column]> extends number ? Column : never]?: number;
};

/** One change of a transaction. An update that changes no row undoes the whole transaction. */
export type Write =
  | {
      [Name in TableName]:
        | { type: 'insert'; table: Name; row: Rows[Name] }
        | {
            type: 'update';
            table: Name;
            where: OwnWhere<Rows[Name]>;
            set: Partial<Rows[Name]>;
            add?: Numbers<Rows[Name]>;
          }
        /** Inserts, or replaces the row with the same key. */
        | { type: 'put'; table: Name; row: Rows[Name] }
        | { type: 'delete'; table: Name; where: OwnWhere<Rows[Name]> };
    }[TableName]
  /** Adds an event with the thread's next number, and cuts the oldest beyond what a thread keeps. */
  | { type: 'event'; userId: string; threadId: string; event: StoredEvent };

export const insert = <Name extends TableName>(table: Name, row: Rows[Name]): Write =>
  ({ type: 'insert', table, row }) as Write;
export const update = <Name extends TableName>(
  table: Name,
  where: OwnWhere<Rows[Name]>,
  set: Partial<Rows[Name]>,
): Write => ({ type: 'update', table, where, set }) as Write;
/** Adds to numbers: others may change the row at the same time. */
export const increase = <Name extends TableName>(
  table: Name,
  where: OwnWhere<Rows[Name]>,
  add: Numbers<Rows[Name]>,
): Write => ({ type: 'update', table, where, set: {}, add }) as Write;
export const put = <Name extends TableName>(table: Name, row: Rows[Name]): Write =>
  ({ type: 'put', table, row }) as Write;
export const remove = <Name extends TableName>(table: Name, where: OwnWhere<Rows[Name]>): Write =>
  ({ type: 'delete', table, where }) as Write;

export interface FindOptions<Row> {
  /** By default in the order of the key. */
  orderBy?: keyof Row & string;
  descending?: boolean;
  limit?: number;
  /** Rows whose `orderBy` column is above (below when descending) this value. */
  after?: number;
  /** Rows that cannot be read are left out and reported, as by `findOfAll`: for what is only shown. */
  isLenient?: boolean;
}

/** `synced`: safe against a power cut when it resolves. `kept`: safe against the end of the process. */
export type Durability = 'synced' | 'kept';

export interface AgentStore {
  /** Throws `unreadable` for a row that cannot be read. */
  find<Name extends TableName>(
    table: Name,
    where: OwnWhere<Rows[Name]>,
    options?: FindOptions<Rows[Name]>,
  ): Promise<Rows[Name][]>;
  /** The rows of all users: for the start and for sweeps alone. A row that cannot be read is left out. */
  findOfAll<Name extends TableName>(
    table: Name,
    where: Where<Rows[Name]>,
    options?: FindOptions<Rows[Name]>,
  ): Promise<Rows[Name][]>;
  /** One transaction. False, and nothing is written, if an update found no row or an insert found one. */
  commit(writes: readonly Write[], durability: Durability): Promise<boolean>;
  /**
   * Ids of threads of the user with a message of the person or the main agent in which each word is the
   * beginning of one; of the newest 500 such messages.
   */
  threadsWith(userId: string, words: readonly string[]): Promise<ReadonlySet<string>>;
  /** What a user's runs that began since then have used. */
  usageSince(userId: string, since: number): Promise<{ tokens: number; costMicro: number }>;
}
