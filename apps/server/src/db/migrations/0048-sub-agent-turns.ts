import type { Migration } from 'kysely/migration';

/** Sub-agents of several turns, and when what one of them did was deleted. */
export const subAgentTurns: Migration = {
  up: async ({ schema }) => {
    await schema.alterTable('agentAgents').addColumn('continues', 'text').execute();
    await schema.alterTable('agentAgents').addColumn('deletedAt', 'bigint').execute();
  },
};
