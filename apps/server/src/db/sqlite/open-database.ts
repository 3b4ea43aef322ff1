import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { Kysely, sql, SqliteAdapter, SqliteDialect, SqliteDriver, type SqliteDatabase } from 'kysely';
import Database from 'libsql';
import { requireOwnFolder } from '../folder/own-folder.ts';
import { createGroupCommit } from './group-commit.ts';
import { cacheStatements } from './statement-cache.ts';
import { sqliteFile, type DatabasePlace } from '../place.ts';
import type { OpenDatabase } from '../store.ts';
import { keepPrivate } from '../folder/private-file.ts';
import { createRights } from '../rights.ts';
import type { Schema } from '../schema.ts';
import { createOthersChanged } from './others-changed.ts';
import { createBatchTransaction, createSyncLevel } from './batch-transaction.ts';

const busyTimeoutMs = 5_000;
/**
 * 16 MiB of write-ahead log. A checkpoint blocks all writes, and copies a row that changed often only once.
 */
const copiedAtPages = 4_000;

/** SQLite rolls tables back with their transaction, which Kysely's dialect does not count on. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * On some errors, such as a full disk, SQLite has rolled back; a second rollback would hide that error.
 */
const rollingBackOnce = (sqlite: Database.Database, database: SqliteDatabase) => () => {
  const driver = new SqliteDriver({ database });
  const rollBack = driver.rollbackTransaction.bind(driver);
  driver.rollbackTransaction = async (connection) => {
    if (sqlite.inTransaction) await rollBack(connection);
  };
  return driver;
};

const openSqlite = (file: string): Database.Database => {
  keepPrivate(file);
  const sqlite = new Database(file);
  // First: another process that closes its last connection locks the file for a moment.
  sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
  sqlite.pragma('journal_mode = WAL');
  // A key, a decision or a call that was acknowledged must survive a power cut.
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma(`wal_autocheckpoint = ${copiedAtPages}`);
  sqlite.pragma('foreign_keys = ON');
  return sqlite;
};

const firstOf = (row: unknown): unknown => (Array.isArray(row) ? row[0] : row);

/** Opens a SQLite file (0600) in its folder (0700). Throws `dataFolderUnsafe`, and for a bad url. */
export const openDatabase = (place: DatabasePlace, clock: Clock = systemClock): OpenDatabase => {
  const file = sqliteFile(place);
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
  if (existsSync(dirname(file))) requireOwnFolder(dirname(file));
  const sqlite = openSqlite(file);
  const dialect = new SqliteDialect({ database: sqlite });
  dialect.createAdapter = () => new TransactionalAdapter();
  const dataVersion = sqlite.prepare('pragma data_version').raw();
  const othersChanged = createOthersChanged(clock, () => firstOf(dataVersion.get()));
  let writeTrailing = () => {};
  const level = createSyncLevel(sqlite, {
    exec: (text) => sqlite.exec(text),
    first: () => writeTrailing(),
  });
  dialect.createDriver = rollingBackOnce(sqlite, cacheStatements(level.synced));
  const db = new Kysely<Schema>({ dialect });
  const writeBatch = createBatchTransaction({
    database: cacheStatements(sqlite),
    level,
    inTransaction: () => sqlite.inTransaction,
  });
  const { commit, flush } = createGroupCommit(db, { writeBatch, inTransaction: () => sqlite.inTransaction });
  writeTrailing = flush;
  const close = async () => {
    flush();
    await db.destroy();
    sqlite.close();
  };
  return {
    db,
    dialect: 'sqlite',
    commit,
    ...createRights(othersChanged),
    othersChanged,
    now: () => Promise.resolve(clock.now()),
    readTime: () => sql<number>`${clock.now()}`,
    // A migration locks the file itself.
    whileMigrating: (run) => run(db),
    close,
  };
};
