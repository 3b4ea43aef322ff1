import type { SqliteStatement } from 'kysely';

/** The same statement, which does `before` each time before it runs. */
export const beforeEachRun = (statement: SqliteStatement, before: () => void): SqliteStatement => {
  const after =
    <Input, Result>(run: (input: Input) => Result) =>
    (input: Input) => {
      before();
      return run(input);
    };
  return {
    reader: statement.reader,
    all: after((input: readonly unknown[]) => statement.all(input)),
    run: after((input: readonly unknown[]) => statement.run(input)),
    iterate: after((input: readonly unknown[]) => statement.iterate(input)),
  };
};
