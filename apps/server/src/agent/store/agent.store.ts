import type { AgentStore, FindOptions, Rows, TableName } from '@drawbridge/agent';
import type { CodedError } from '@drawbridge/kit';
import { sql, type Kysely } from 'kysely';
import { agentKeys, OutdatedError, type Commit, type Schema } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import { rowSchemas } from './row-schemas.ts';
import { selectRows } from './sql.store.ts';
import { createToQueries } from './writes.store.ts';

export interface AgentStoreNeeds {
  db: Kysely<Schema>;
  commit: Commit;
  /** A row that was left out: table and columns, never what stands in them. */
  onError(error: CodedError): void;
}

const readRow = <Name extends TableName>(table: Name, row: unknown): Rows[Name] | CodedError => {
  const { success, data, error } = rowSchemas[table].safeParse(row);
  // The schema of a table gives its rows: `satisfies` beside the schemas checks it.
  if (success) return data as Rows[Name];
  const columns = [...new Set(error.issues.map(({ path }) => String(path[0])))].join(', ');
  return errors.unreadable({
    message: `A row of ${table} cannot be read: ${columns}`,
    fix: 'Start a new thread.',
  });
};

/** The agent's rows in the server's store. */
export const createAgentStore = ({ db, commit, onError }: AgentStoreNeeds): AgentStore => {
  const toQueries = createToQueries(db);

  const select = async <Name extends TableName>(
    table: Name,
    where: object,
    options: FindOptions<Rows[Name]>,
  ): Promise<Rows[Name][]> => {
    const { orderBy, descending = false, limit, after, isLenient = false } = options;
    const order = [...new Set<string>([...(orderBy === undefined ? [] : [orderBy]), ...agentKeys[table]])];
    const query = selectRows({ table, where, order, descending, after, limit });
    const found: Rows[Name][] = [];
    for (const stored of (await db.executeQuery(query)).rows) {
      const row = readRow(table, stored);
      if (!(row instanceof Error)) found.push(row);
      else if (isLenient) onError(row);
      else throw row;
    }
    return found;
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
