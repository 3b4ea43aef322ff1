import { AsyncLocalStorage } from 'node:async_hooks';
import type { CompiledQuery, Kysely, KyselyPlugin } from 'kysely';
import type { Schema, Store } from '../src/db/index.ts';

const tablesIn = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return [];
  if ('kind' in node && node.kind === 'TableNode')
    return [(node as unknown as { table: { identifier: { name: string } } }).table.identifier.name];
  return Object.values(node).flatMap(tablesIn);
};

const written = { InsertQueryNode: 'into', UpdateQueryNode: 'table', DeleteQueryNode: 'from' } as const;

/** The store, which notes the tables that are read for the cache, and those that are written, and where. */
export const spyOn = (store: Store) => {
  const inside = new AsyncLocalStorage<'cached' | 'rights'>();
  const read = new Set<string>();
  const changed = new Set<string>();
  const unsaid = new Set<string>();
  const look = (node: object & { kind: string }) => {
    if (inside.getStore() === 'cached') for (const table of tablesIn(node)) read.add(table);
    const part = written[node.kind as keyof typeof written];
    const target = part && (node as Record<string, unknown>)[part];
    for (const table of tablesIn(target)) (inside.getStore() === 'rights' ? changed : unsaid).add(table);
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      look(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const db: Kysely<Schema> = store.db.withPlugin(plugin);
  const executeQuery = db.executeQuery.bind(db);
  Object.assign(db, {
    executeQuery: (query: CompiledQuery) => {
      look(query.query);
      return executeQuery(query);
    },
  });
  const spied: Store = {
    ...store,
    db,
    cacheRows: (load) => store.cacheRows((key) => inside.run('cached', () => load(key))),
    changeRights: (write) => store.changeRights(() => inside.run('rights', write)),
  };
  return { spied, inside, read, changed, unsaid };
};
