import type { AgentStore, FindOptions, Rows, TableName } from '@drawbridge/agent';
import { tables } from '@drawbridge/agent/rows';
import type { CodedError } from '@drawbridge/kit';
import { sql } from 'kysely';
import { OutdatedError, type Store } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { createRowQueries } from './row-queries.store.ts';
import { searches } from './search.store.ts';
import { createToQueries } from './writes.store.ts';

export interface AgentStoreNeeds extends Pick<Store, 'db' | 'dialect' | 'commit'> {
  /** A row that was left out: table and columns, never what stands in them. */
  onError(error: CodedError): void;
}

const readRow = <Name extends TableName>(table: Name, row: unknown): Rows[Name] | CodedError => {
  const { success, data, error } = tables[table].row.safeParse(row);
  // The schema of a table gives its rows, which a union of tables cannot express.
  if (success) return data as Rows[Name];
  const columns = [...new Set(error.issues.map(({ path }) => String(path[0])))].join(', ');
  return errors.unreadable({
    message: `A row of ${table} cannot be read: ${columns}`,
    fix: 'Start a new thread.',
  });
};

const compare = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : Number(String(a) > String(b)) * 2 - 1;

/** The order of a table's key, which no two rows share. */
const byKey =
  (keys: readonly string[]) =>
  (a: object, b: object): number => {
    const column = keys.find((key) => Reflect.get(a, key) !== Reflect.get(b, key));
    return column === undefined ? 0 : compare(Reflect.get(a, column), Reflect.get(b, column));
  };

/** The agent's rows in the server's store. */
export const createAgentStore = ({ db, dialect, commit, onError }: AgentStoreNeeds): AgentStore => {
  const search = searches[dialect](db);
  const rows = createRowQueries(db);
  const toQueries = createToQueries(db, rows, search);

  const select = async <Name extends TableName>(
    table: Name,
    where: object,
    options: FindOptions<Rows[Name]>,
  ): Promise<Rows[Name][]> => {
    const { orderBy, descending = false, limit, after, isLenient = false } = options;
    const keys: readonly string[] = tables[table].key;
    const isAll = orderBy === undefined && limit === undefined && !descending;
    // In the order of the key, SQLite would read all rows of the user by that key instead of a better index.
    const order = isAll ? [] : [...new Set([...(orderBy === undefined ? [] : [orderBy]), ...keys])];
    const query = rows.select({ table, where, order, descending, after, limit });
    const found: Rows[Name][] = [];
    for (const stored of (await db.executeQuery(query)).rows) {
      const row = readRow(table, stored);
      if (!(row instanceof Error)) found.push(row);
      else if (isLenient) onError(row);
      else throw row;
    }
    return isAll && found.length > 1 ? found.toSorted(byKey(keys)) : found;
  };

  return {
    find: (table, where, options = {}) => select(table, where, options),
    findOfAll: (table, where, options = {}) => select(table, where, { ...options, isLenient: true }),
    commit: async (writes, durability) => {
      if (writes.length === 0) return true;
      try {
        await commit(writes.flatMap(toQueries), durability);
        return true;
      } catch (error) {
        if (error instanceof OutdatedError) return false;
        throw error;
      }
    },
    threadsWith: search.threadsWith,
    usageSince: async (userId, since) => {
      const used = await db
        .selectFrom('agentRuns')
        .select([
          sql<number>`coalesce(sum("inputTokens" + "outputTokens" - "cachedTokens" * 9 / 10), 0)`.as(
            'tokens',
          ),
          sql<number>`coalesce(sum("costMicro"), 0)`.as('costMicro'),
        ])
        .where('userId', '=', userId)
        .where('startedAt', '>=', since)
        .executeTakeFirstOrThrow();
      return { tokens: Number(used.tokens), costMicro: Number(used.costMicro) };
    },
  };
};
