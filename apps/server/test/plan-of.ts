import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely';
import type { Schema } from '../src/db/index.ts';

/** How SQLite answers the last query of `ask`. */
export const planOf = async (
  open: Kysely<Schema>,
  ask: (db: Kysely<Schema>) => Promise<unknown>,
): Promise<string> => {
  const queries: Parameters<KyselyPlugin['transformQuery']>[0][] = [];
  const db = open.withPlugin({
    transformQuery: (query) => {
      queries.push(query);
      return query.node;
    },
    transformResult: async ({ result }) => result,
  });
  await ask(db);
  const query = queries.at(-1);
  if (!query) throw new Error('The store has asked nothing.');
  const { sql, parameters } = db.getExecutor().compileQuery(query.node, query.queryId);
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  );
  return rows.map(({ detail }) => detail).join();
};
