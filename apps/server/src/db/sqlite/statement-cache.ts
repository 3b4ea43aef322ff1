import { createBoundedMap } from '@drawbridge/kit';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Lists of values make statements of many lengths. */
const maxEntries = 200;
/** A pragma takes effect while it is prepared, and a change of tables outdates cached statements. */
const isCacheable = /^(select|insert|update|delete|begin|commit|rollback)\b/i;

/** Whether it gives rows is asked of the library with every run. */
const readerOnce = (statement: SqliteStatement): SqliteStatement => ({
  reader: statement.reader,
  all: (parameters) => statement.all(parameters),
  run: (parameters) => statement.run(parameters),
  iterate: (parameters) => statement.iterate(parameters),
});

/** The same database, which prepares each statement once: that takes as long as running it. */
export const cacheStatements = (database: SqliteDatabase): SqliteDatabase => {
  const kept = createBoundedMap<string, SqliteStatement>({ maxEntries });
  const prepare = (text: string): SqliteStatement => {
    const known = kept.get(text);
    if (known) return known;
    const statement = readerOnce(database.prepare(text));
    if (!isCacheable.test(text)) return statement;
    kept.set(text, statement);
    return statement;
  };
  return { prepare, close: () => database.close() };
};
