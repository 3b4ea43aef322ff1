import { type Rows, type TableName, tables } from '../src/rows/rows.ts';
import type { AgentStore, Write } from '../src/rows/store.ts';

type Row = Record<string, unknown>;

const fits = (row: Row, where: Row): boolean =>
  Object.entries(where).every(([name, value]) =>
    Array.isArray(value) ? value.includes(row[name]) : row[name] === value,
  );

const added = (row: Row, add: object = {}): Row =>
  Object.fromEntries(Object.entries(add).map(([name, by]) => [name, Number(row[name] ?? 0) + Number(by)]));

const keyOf = (table: TableName, row: Row): string =>
  JSON.stringify(tables[table].key.map((name) => row[name]));

/** The store's contract over arrays, for tests of what reads and plans writes. */
export const rowsStore = (start: { [Name in TableName]?: Rows[Name][] }) => {
  // The rows of a table are read and written by its own name alone.
  let stored = start as Partial<Record<TableName, Row[]>>;

  const apply = (next: Partial<Record<TableName, Row[]>>, write: Write): boolean => {
    if (write.type === 'event') return true;
    const rows = next[write.table] ?? [];
    switch (write.type) {
      case 'insert':
      case 'put': {
        const row: Row = { ...write.row };
        const others = rows.filter((one) => keyOf(write.table, one) !== keyOf(write.table, row));
        if (write.type === 'insert' && others.length < rows.length) return false;
        next[write.table] = [...others, row];
        return true;
      }
      case 'update':
        next[write.table] = rows.map((row) =>
          fits(row, write.where) ? { ...row, ...write.set, ...added(row, write.add) } : row,
        );
        return rows.some((row) => fits(row, write.where));
      case 'delete':
        next[write.table] = rows.filter((row) => !fits(row, write.where));
        return true;
      default:
        return write satisfies never;
    }
  };

  const find: AgentStore['findOfAll'] = (table, where, options = {}) => {
    const name = options.orderBy ?? 'seq';
    const sign = options.descending === true ? -1 : 1;
    const rows = (stored[table] ?? [])
      .filter((row) => fits(row, where))
      .filter((row) => options.after === undefined || sign * (Number(row[name]) - options.after) > 0)
      .toSorted((a, b) => sign * (Number(a[name] ?? 0) - Number(b[name] ?? 0)))
      .slice(0, options.limit);
    return Promise.resolve(rows as unknown as Rows[typeof table][]);
  };
  const store: AgentStore = {
    find,
    findOfAll: find,
    commit: (writes) => {
      const next = { ...stored };
      const isDone = writes.every((write) => apply(next, write));
      if (isDone) stored = next;
      return Promise.resolve(isDone);
    },
    threadsWith: () => Promise.resolve(new Set()),
    usageSince: () => Promise.resolve({ tokens: 0, costMicro: 0 }),
  };
  return store;
};
