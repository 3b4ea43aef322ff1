import type { SqliteStatement } from 'kysely';

/** The same statement, which does `before` each time before it runs. */
export const beforeEachRun = (statement: SqliteStatement, before: () => void): SqliteStatement => {
  const after =
    <Given, Result>(run: (given: Given) => Result) =>
    (given: Given) => {
      before();
      return run(given);
    };
  return {
    reader: statement.reader,
    all: after((given: readonly unknown[]) => statement.all(given)),
    run: after((given: readonly unknown[]) => statement.run(given)),
    iterate: after((given: readonly unknown[]) => statement.iterate(given)),
  };
};
