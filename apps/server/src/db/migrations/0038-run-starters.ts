import type { Migration } from 'kysely/migration';

/** Which of the messages that run together stands for the run; null for earlier runs. */
export const runStarters: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('agentRuns').addColumn('startedBy', 'text').execute();
  },
};
