import type { Migration } from 'kysely/migration';

/** What answers a thread and a run, and how much of a coding agent's turn is stored. */
export const runtimes: Migration = {
  up: async ({ schema }) => {
    const add = async (table: string, column: string, type: 'text' | 'integer' = 'text') => {
      await schema.alterTable(table).addColumn(column, type).execute();
    };
    await add('agentThreads', 'runtime');
    await add('agentThreads', 'runtimeSession');
    await add('agentRuns', 'runtime');
    await add('agentToolCalls', 'turnEvents', 'integer');
    await add('agentToolCalls', 'turnId');
  },
};
