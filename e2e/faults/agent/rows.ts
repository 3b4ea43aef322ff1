import { storedEvent } from '@drawbridge/contracts/agent/events';
import { z } from 'zod';

const key = z.object({ userId: z.string(), id: z.string() });
const ofThread = key.extend({ threadId: z.string() });
const json = z.string().transform((text): unknown => JSON.parse(text));
const parts = z.array(
  z.object({ type: z.string(), toolCallId: z.string().optional(), tool: z.string().optional() }),
);

const tables = {
  agentRuns: ofThread.extend({ state: z.string(), startedAt: z.number(), endedAt: z.number().nullable() }),
  agentAgents: ofThread.extend({ runId: z.string(), kind: z.string(), state: z.string() }),
  agentToolCalls: ofThread.extend({
    runId: z.string(),
    agentId: z.string(),
    tool: z.string(),
    arguments: z.string(),
    effect: z.string(),
    state: z.string(),
    outcome: z.string().nullable(),
    requestId: z.string().nullable(),
    askId: z.string().nullable(),
    endedAt: z.number().nullable(),
  }),
  agentAsks: ofThread.extend({
    toolCallId: z.string().nullable(),
    state: z.string(),
    answer: json.pipe(z.object({ approved: z.boolean().optional() }).nullable()).nullable(),
    closedAt: z.number().nullable(),
  }),
  agentEvents: z.object({
    userId: z.string(),
    threadId: z.string(),
    seq: z.number(),
    event: json.pipe(storedEvent),
  }),
  agentMessages: ofThread.extend({
    role: z.string(),
    sender: z.string().nullable(),
    parts: json.pipe(parts),
  }),
  agentThreads: key.extend({ lastSeq: z.number() }),
};

type Table = keyof typeof tables;
// The names of an object's own keys.
export const agentTables = Object.keys(tables) as Table[];

/** The agent's rows as the server's database has them at the end, as far as the invariants read them. */
export type AgentRows = { [Name in Table]: z.infer<(typeof tables)[Name]>[] };

export const readAgentRows = (rows: (table: Table) => unknown[]): AgentRows => {
  const read = <Name extends Table>(name: Name) => z.array(tables[name]).parse(rows(name)) as AgentRows[Name];
  return {
    agentRuns: read('agentRuns'),
    agentAgents: read('agentAgents'),
    agentToolCalls: read('agentToolCalls'),
    agentAsks: read('agentAsks'),
    agentEvents: read('agentEvents'),
    agentMessages: read('agentMessages'),
    agentThreads: read('agentThreads'),
  };
};
