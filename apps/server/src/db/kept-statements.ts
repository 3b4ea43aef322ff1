import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Lists of values make statements of many lengths; beyond this the oldest goes. */
const mostKept = 200;
/** What a pragma does it does while it is prepared, and a change of tables would leave kept statements behind. */
const mayBeKept = /^(select|insert|update|delete|begin|commit|rollback)\b/i;

/** Whether it gives rows is asked of the library with every run. */
const askedOnce = (statement: SqliteStatement): SqliteStatement => ({
  reader: statement.reader,
  all: (parameters) => statement.all(parameters),
  run: (parameters) => statement.run(parameters),
  iterate: (parameters) => statement.iterate(parameters),
});

/** The same database, which prepares each statement once: that takes as long as running it. */
export const keepStatements = (database: SqliteDatabase): SqliteDatabase => {
  const kept = new Map<string, SqliteStatement>();
  const prepare = (text: string): SqliteStatement => {
    const known = kept.get(text);
    if (known) return known;
    const statement = askedOnce(database.prepare(text));
    if (!mayBeKept.test(text)) return statement;
    const [oldest] = kept.keys();
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest);
    kept.set(text, statement);
    return statement;
  };
  return { prepare, close: () => database.close() };
};
