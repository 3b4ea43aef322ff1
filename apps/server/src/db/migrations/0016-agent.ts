import { sql, type CreateTableBuilder, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** With `?` it may be null. */
type Column = 'text' | 'text?' | 'integer' | 'integer?' | 'bigint' | 'bigint?';

interface Table {
  key: string[];
  columns: Record<string, Column>;
  /** Columns of each index beside the key. */
  indices?: string[][];
}

const ofUser = ['userId', 'id'];

const tables: Record<string, Table> = {
  agentThreads: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      title: 'text',
      titleBy: 'text?',
      machineId: 'text?',
      tasks: 'text',
      lastSeq: 'integer',
      eventBytes: 'bigint',
      queuePaused: 'integer',
      createdAt: 'bigint',
      updatedAt: 'bigint',
    },
    indices: [['userId', 'updatedAt'], ['updatedAt']],
  },
  agentRuns: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      threadId: 'text',
      kind: 'text',
      messageId: 'text?',
      state: 'text',
      reason: 'text?',
      model: 'text',
      crashes: 'integer',
      timeZone: 'text?',
      stopAskedAt: 'bigint?',
      calls: 'integer',
      inputTokens: 'bigint',
      outputTokens: 'bigint',
      cachedTokens: 'bigint',
      costMicro: 'bigint?',
      isEstimated: 'integer',
      approvedTokens: 'bigint',
      approvedCalls: 'integer',
      startedAt: 'bigint',
      endedAt: 'bigint?',
    },
    indices: [['userId', 'threadId', 'startedAt'], ['userId', 'startedAt'], ['state']],
  },
  agentAgents: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      threadId: 'text',
      runId: 'text',
      parentId: 'text?',
      parentCallId: 'text?',
      kind: 'text',
      role: 'text',
      title: 'text',
      instructions: 'text',
      tools: 'text?',
      loaded: 'text',
      maxSteps: 'integer',
      steps: 'integer',
      state: 'text',
      outcome: 'text?',
      result: 'text',
      tainted: 'integer',
      planTaskId: 'text?',
      lastActiveAt: 'bigint',
      createdAt: 'bigint',
      endedAt: 'bigint?',
    },
    indices: [['userId', 'threadId', 'createdAt'], ['userId', 'runId'], ['state']],
  },
  agentMessages: {
    key: ['userId', 'threadId', 'history', 'seq'],
    columns: {
      userId: 'text',
      threadId: 'text',
      history: 'text',
      seq: 'integer',
      id: 'text',
      runId: 'text',
      agentId: 'text?',
      step: 'integer',
      role: 'text',
      source: 'text',
      v: 'integer',
      parts: 'text',
      tokens: 'integer',
      createdAt: 'bigint',
    },
    indices: [['userId', 'runId']],
  },
  agentToolCalls: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      threadId: 'text',
      runId: 'text',
      agentId: 'text',
      step: 'integer',
      n: 'integer',
      tool: 'text',
      arguments: 'text',
      effect: 'text',
      state: 'text',
      outcome: 'text?',
      requestId: 'text?',
      askId: 'text?',
      result: 'text?',
      whole: 'text?',
      shown: 'text',
      isShownCut: 'integer',
      signature: 'text?',
      startedAt: 'bigint',
      endedAt: 'bigint?',
    },
    indices: [['userId', 'threadId'], ['userId', 'runId'], ['state']],
  },
  agentAsks: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      threadId: 'text',
      runId: 'text',
      agentId: 'text',
      toolCallId: 'text?',
      kind: 'text',
      payload: 'text',
      state: 'text',
      answer: 'text?',
      createdAt: 'bigint',
      expiresAt: 'bigint?',
      closedAt: 'bigint?',
    },
    indices: [['userId', 'threadId'], ['userId', 'state'], ['state']],
  },
  agentEvents: {
    key: ['userId', 'threadId', 'seq'],
    columns: { userId: 'text', threadId: 'text', seq: 'integer', upToBytes: 'bigint', event: 'text' },
  },
  agentPlans: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      threadId: 'text',
      runId: 'text',
      title: 'text',
      state: 'text',
      createdAt: 'bigint',
      updatedAt: 'bigint',
    },
    indices: [['userId', 'threadId', 'createdAt'], ['state']],
  },
  agentPlanTasks: {
    key: ['userId', 'planId', 'taskId'],
    columns: {
      userId: 'text',
      planId: 'text',
      taskId: 'text',
      n: 'integer',
      title: 'text',
      kind: 'text',
      spec: 'text',
      deps: 'text',
      tools: 'text',
      state: 'text',
      agentId: 'text?',
      tries: 'integer',
      signatures: 'text',
      verdict: 'text?',
      result: 'text',
    },
  },
  agentQueue: {
    key: ['userId', 'threadId', 'id'],
    columns: {
      userId: 'text',
      threadId: 'text',
      id: 'text',
      text: 'text',
      files: 'text',
      position: 'integer',
      createdAt: 'bigint',
      editedAt: 'bigint?',
    },
  },
  agentCorrections: {
    key: ['userId', 'agentId', 'id'],
    columns: {
      userId: 'text',
      agentId: 'text',
      id: 'text',
      text: 'text',
      createdAt: 'bigint',
      takenAt: 'bigint?',
    },
  },
  agentNotes: {
    key: ['userId', 'threadId', 'history', 'seq'],
    columns: {
      userId: 'text',
      threadId: 'text',
      history: 'text',
      seq: 'integer',
      kind: 'text',
      text: 'text',
      tokens: 'integer',
      upToSeq: 'integer',
      createdAt: 'bigint',
      replacedAt: 'bigint?',
    },
  },
  agentMemory: {
    key: ['userId'],
    columns: {
      userId: 'text',
      sections: 'text',
      enabled: 'integer',
      version: 'integer',
      updatedAt: 'bigint',
    },
  },
  agentGrants: {
    key: ['userId', 'threadId', 'key'],
    columns: { userId: 'text', threadId: 'text', key: 'text', askId: 'text', createdAt: 'bigint' },
  },
  agentFiles: {
    key: ofUser,
    columns: {
      userId: 'text',
      id: 'text',
      threadId: 'text',
      name: 'text',
      mediaType: 'text',
      data: 'text',
      bytes: 'integer',
      createdAt: 'bigint',
    },
    indices: [['userId', 'threadId']],
  },
};

const types = {
  text: 'text',
  'text?': 'text',
  integer: 'integer',
  'integer?': 'integer',
  bigint: 'bigint',
  'bigint?': 'bigint',
} as const satisfies Record<Column, string>;

const create = async (db: Kysely<unknown>, name: string, { key, columns, indices = [] }: Table) => {
  let query: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, type] of Object.entries(columns))
    query = query.addColumn(column, types[type], (one) => (type.endsWith('?') ? one : one.notNull()));
  await query.addPrimaryKeyConstraint(`${name}_key`, key).execute();
  for (const index of indices)
    await db.schema
      .createIndex([name, ...index].join('_'))
      .on(name)
      .columns(index)
      .execute();
};

/** Threads of the agent, with all that is theirs. */
export const agent: Migration = {
  up: async (db) => {
    for (const [name, table] of Object.entries(tables)) await create(db, name, table);
    await db.schema
      .createIndex('agentOpenRun')
      .unique()
      .on('agentRuns')
      .columns(['userId', 'threadId'])
      .where(sql.ref('state'), 'in', ['active', 'suspended'])
      .execute();
    await db.schema
      .createIndex('agentCallOfStep')
      .unique()
      .on('agentToolCalls')
      .columns(['userId', 'agentId', 'step', 'n'])
      .execute();
    await db.schema
      .createIndex('agentCallOfRequest')
      .on('agentToolCalls')
      .columns(['userId', 'requestId'])
      .where(sql.ref('requestId'), 'is not', null)
      .execute();
  },
};
