import type { Rows, TableName } from '@drawbridge/agent';

/** Text and numbers as they are, booleans as 0 or 1, all else as JSON. */
type Stored<Value> = Value extends string | number | null ? Value : Value extends boolean ? number : string;

/** The agent's tables: one for each type of row, with the same columns. Each key begins with the user. */
export type AgentTables = {
  [Name in TableName]: { [Column in keyof Rows[Name]]: Stored<Rows[Name][Column]> };
};

/** The columns of each key. */
export const agentKeys = {
  agentThreads: ['userId', 'id'],
  agentRuns: ['userId', 'id'],
  agentAgents: ['userId', 'id'],
  agentMessages: ['userId', 'threadId', 'history', 'seq'],
  agentToolCalls: ['userId', 'id'],
  agentAsks: ['userId', 'id'],
  agentEvents: ['userId', 'threadId', 'seq'],
  agentPlans: ['userId', 'id'],
  agentPlanTasks: ['userId', 'planId', 'taskId'],
  agentQueue: ['userId', 'threadId', 'id'],
  agentRequests: ['userId', 'sender', 'key'],
  agentArtifacts: ['userId', 'threadId', 'artifactId'],
  agentCorrections: ['userId', 'agentId', 'id'],
  agentNotes: ['userId', 'threadId', 'history', 'seq'],
  agentMemory: ['userId'],
  agentGrants: ['userId', 'threadId', 'key'],
  agentFiles: ['userId', 'id'],
} as const satisfies { [Name in TableName]: readonly (keyof Rows[Name])[] };

// The keys name each table once.
export const agentTables = Object.keys(agentKeys) as readonly TableName[];
