import { jsonOf } from '@drawbridge/kit';
import { CompiledQuery, sql, type Kysely, type Transaction } from 'kysely';
import Database from 'libsql';
import { indexWords, wordsOfMessage } from '../../agent/index.ts';
import type { OpenDatabase, Schema } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { columnType, converted, createRowDigest, type ColumnType } from './values.ts';
import { inOrder, type Reference } from './table-order.ts';

const rowsAtOnce = 500;
/** Of texts in one statement, so that long results do not fill the memory. */
const bytesAtOnce = 8 * 1024 * 1024;

/** Made by the migrations of the target, or from other rows. */
const notCopied = /^(?:kysely_|agentWords)/;
/** What opening a store for the first time writes: of the account library, and of the secret. */
const seeded = ['oauthResource', 'meta'];

interface Column {
  name: string;
  type: ColumnType;
}

export interface CopyNeeds {
  /** The file of the source, of this version; no process writes to it. */
  file: string;
  target: Pick<OpenDatabase, 'whileMigrating'>;
  /** Called with the rows of a table that are copied so far. */
  onProgress(table: string, rows: number): void;
}

export interface CopiedTable {
  table: string;
  rows: number;
}

const quoted = (name: string) => `"${name}"`;

const columnsOf = async (db: Kysely<Schema>): Promise<Map<string, Column[]>> => {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select table_name as "table", column_name as "column", udt_name as "type" from information_schema.columns
    where table_schema = current_schema() order by ordinal_position`.execute(db);
  const tables = new Map<string, Column[]>();
  for (const { table, column, type } of rows) {
    if (notCopied.test(table)) continue;
    tables.set(table, [...(tables.get(table) ?? []), { name: column, type: columnType(type) }]);
  }
  return tables;
};

const referencesOf = async (db: Kysely<Schema>): Promise<Reference[]> => {
  const { rows } = await sql<Reference>`
    select own.relname as "from", other.relname as "to" from pg_constraint
    join pg_class own on own.oid = conrelid join pg_class other on other.oid = confrelid
    where contype = 'f'`.execute(db);
  return rows;
};

/** Throws `conflict` for a table of the target with rows, and for one that the source has otherwise. */
const requireFitting = async (
  trx: Kysely<Schema>,
  source: Database.Database,
  tables: ReadonlyMap<string, Column[]>,
): Promise<void> => {
  const names = source
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
    .raw()
    .all()
    .flat()
    .filter((name): name is string => typeof name === 'string' && !notCopied.test(name));
  const unknown = names.find((name) => !tables.has(name));
  if (unknown !== undefined)
    throw errors.conflict({ message: `The source has a table ${unknown} that the target does not have` });
  for (const table of tables.keys()) {
    if (seeded.includes(table)) continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(trx);
    if (rows.length > 0)
      throw errors.conflict({
        message: `The target is not empty: ${table} has rows`,
        fix: 'Create a new database, and name it in --to.',
      });
  }
};

/** The texts of a batch count as their characters. */
const sizeOf = (values: readonly unknown[]) =>
  values.reduce<number>((size, value) => size + (typeof value === 'string' ? value.length : 8), 0);

/** The rows of a table, in batches of one statement each. */
function* batchesOf(source: Database.Database, table: string, columns: readonly Column[]) {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  let batch: unknown[][] = [];
  let bytes = 0;
  for (const row of source
    .prepare(`select ${names} from ${quoted(table)}`)
    .raw()
    .iterate()) {
    // `raw` gives the values of each row.
    const values = row as unknown[];
    batch.push(values);
    bytes += sizeOf(values);
    if (batch.length < rowsAtOnce && bytes < bytesAtOnce) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const insertOf = (table: string, columns: readonly Column[], batch: readonly unknown[][]): CompiledQuery => {
  let place = 0;
  const rows = batch.map((values) => `(${values.map(() => `$${(place += 1)}`).join(', ')})`);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  return CompiledQuery.raw(
    `insert into ${quoted(table)} (${names}) values ${rows.join(', ')}`,
    batch.flatMap((values) => values.map((value, at) => converted(value, columns[at]?.type ?? 'other'))),
  );
};

/** The search reads words that the store writes beside a message. */
const indexMessages = async (trx: Transaction<Schema>, columns: readonly Column[], batch: unknown[][]) => {
  for (const values of batch) {
    const row = Object.fromEntries(columns.map(({ name }, at) => [name, values[at]]));
    // Columns of a message, as its migration has made them.
    const { userId = '', threadId = '', parts = '', ...message } = row as Record<string, string>;
    const words = wordsOfMessage({ history: '', source: '', ...message, parts: jsonOf(parts) });
    if (words.length > 0) await trx.executeQuery(indexWords(trx, { userId, threadId, words }));
  }
};

/** What the target has of a table after the copy. */
const readBack = async (trx: Transaction<Schema>, table: string, columns: readonly Column[]) => {
  const digest = createRowDigest(columns.map(({ type }) => type));
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  await sql.raw(`declare copied cursor for select ${names} from ${quoted(table)}`).execute(trx);
  for (;;) {
    const { rows } = await sql.raw<Record<string, unknown>>(`fetch 100 from copied`).execute(trx);
    if (rows.length === 0) break;
    for (const row of rows) digest.add(columns.map(({ name }) => row[name] ?? null));
  }
  await sql.raw('close copied').execute(trx);
  return digest.result();
};

/**
 * Copies all rows of a SQLite store into an empty, migrated store on Postgres, in one transaction. Throws
 * `conflict` for a target with rows, and `internal` if what arrived is not what was sent: nothing stays then.
 */
export const copyStore = ({ file, target, onProgress }: CopyNeeds): Promise<CopiedTable[]> =>
  target.whileMigrating((db) =>
    db.transaction().execute(async (trx) => {
      const source = new Database(file);
      try {
        const tables = await columnsOf(trx);
        await requireFitting(trx, source, tables);
        for (const table of seeded) await sql`delete from ${sql.table(table)}`.execute(trx);
        const copied: CopiedTable[] = [];
        for (const table of inOrder([...tables.keys()], await referencesOf(trx))) {
          const columns = tables.get(table) ?? [];
          const digest = createRowDigest(columns.map(({ type }) => type));
          for (const batch of batchesOf(source, table, columns)) {
            for (const values of batch) digest.add(values);
            await trx.executeQuery(insertOf(table, columns, batch));
            if (table === 'agentMessages') await indexMessages(trx, columns, batch);
            onProgress(table, digest.result().rows);
          }
          const [sent, arrived] = [digest.result(), await readBack(trx, table, columns)];
          if (sent.rows !== arrived.rows || sent.digest !== arrived.digest)
            throw errors.internal({
              message: `${table}: ${sent.rows} rows were sent and ${arrived.rows} arrived, or they differ`,
            });
          copied.push({ table, rows: sent.rows });
        }
        return copied;
      } finally {
        source.close();
      }
    }),
  );
