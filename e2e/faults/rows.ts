import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { wrongRows } from '../agent/crash-rows.ts';
import { agentTables } from './agent/rows.ts';

/** The store of the servers, read without them. */
export interface Store {
  rows(query: string): Promise<unknown[]>;
  /** Which of several servers has written each step of the agent, and which one drove the thread. */
  steps(): Promise<unknown[]>;
}

export const sqliteStore = (file: string): Store => ({
  rows: async (query) => {
    const database = new Database(file, { readonly: true });
    try {
      return database.prepare(query).all();
    } finally {
      database.close();
    }
  },
  steps: () => Promise.resolve([]),
});

/** The last four are for people who look for the cause of a violation. */
const kept = [
  ...(['calls', 'confirmations', 'gatewayKeys', ...agentTables] as const),
  ...(['machines', 'agentCommands', 'agentRequests', 'agentQueue'] as const),
] as const;
type Kept = (typeof kept)[number] | 'steps';

const fileOf = (folder: string, table: Kept) => join(folder, 'rows', `${table}.jsonl`);

/** Leaves the rows that the checker reads in the folder of a run. */
export const keepRows = async (store: Store, folder: string): Promise<void> => {
  mkdirSync(join(folder, 'rows'), { recursive: true });
  const keep = (table: Kept, rows: unknown[]) =>
    writeFileSync(fileOf(folder, table), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  for (const table of kept) keep(table, await store.rows(`select * from "${table}"`));
  keep('steps', await store.steps());
};

export const readRows = (folder: string, table: Kept): unknown[] =>
  readFileSync(fileOf(folder, table), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));

/** The agent's rows that no moment may leave, with the name of the rule. */
export const findWrongRows = async (store: Store): Promise<{ rule: string; row: unknown }[]> => {
  const found = await Promise.all(
    Object.entries(wrongRows).map(async ([rule, query]) =>
      (await store.rows(query)).map((row) => ({ rule, row })),
    ),
  );
  return found.flat();
};
