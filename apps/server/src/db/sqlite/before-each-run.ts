import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** The same database, whose statements `wrap` exchanges as they are prepared. */
export const wrapStatements = (
  database: SqliteDatabase,
  wrap: (statement: SqliteStatement, text: string) => SqliteStatement,
): SqliteDatabase => ({
  prepare: (text) => wrap(database.prepare(text), text),
  close: () => database.close(),
});

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
