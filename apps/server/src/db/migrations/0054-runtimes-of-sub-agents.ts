import type { Migration } from 'kysely/migration';

/** The coding agent that answers a sub-agent. */
export const runtimesOfSubAgents: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('agentAgents').addColumn('runtime', 'text').execute();
  },
};
