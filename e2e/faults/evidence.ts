import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { turnTool } from '@drawbridge/contracts/machines/runtimes';
import { z } from 'zod';
import { readAgentRows, type AgentRows } from './agent/rows.ts';
import { readHistory, type Entry } from './history.ts';
import { opIn, readLeft, type Edit, type Mark } from './marks.ts';
import { historyFile } from './play.ts';
import { readRows } from './rows.ts';

const call = z.object({
  requestId: z.string(),
  userId: z.string(),
  tool: z.string(),
  door: z.string(),
  state: z.string(),
  started: z.number().nullable(),
  error: z.string().nullable(),
  arguments: z.string(),
  result: z.string().nullable(),
  createdAt: z.number(),
  endedAt: z.number().nullable(),
});

const confirmation = z.object({
  id: z.string(),
  requestId: z.string(),
  state: z.string(),
  approved: z.number().nullable(),
  decision: z.string().nullable(),
  createdAt: z.number(),
  decidedAt: z.number().nullable(),
});

const step = z.object({
  userId: z.string(),
  threadId: z.string(),
  messageId: z.string(),
  server: z.string(),
  driver: z.string().nullable(),
});

const sessionKey = z.object({ digest: z.string(), machineId: z.string().nullable() });

/** A call as the server's database has it at the end. `op` is null for one that no plan made. */
export type CallRow = z.infer<typeof call> & { op: string | null };
export type ConfirmationRow = z.infer<typeof confirmation>;
/** A step of the agent: the server that wrote it, and the one that drove its thread in that transaction. */
export type StepRow = z.infer<typeof step>;

/** All that is left of a run. */
export interface Evidence {
  history: Entry[];
  marks: Mark[];
  edits: Edit[];
  calls: CallRow[];
  confirmations: ConfirmationRow[];
  agent: AgentRows;
  /** Of several servers alone. */
  steps: StepRow[];
  /** The machines of the keys that the server still has, by digest. */
  machines: Record<string, string>;
}

const rootsIn = (folder: string): string[] => {
  const machines = join(folder, 'machines');
  return readdirSync(machines).flatMap((name) => [
    join(machines, name, 'root'),
    join(machines, name, 'twin-root'),
  ]);
};

/** Reads the folder of a run that is over. */
export const readEvidence = async (folder: string): Promise<Evidence> => {
  const calls = z.array(call).parse(readRows(folder, 'calls'));
  const confirmations = z.array(confirmation).parse(readRows(folder, 'confirmations'));
  const keys = z.array(sessionKey).parse(readRows(folder, 'gatewayKeys'));
  return {
    history: await readHistory(historyFile(folder)),
    ...readLeft(rootsIn(folder)),
    calls: calls.map((row) =>
      // A turn of a coding agent is about all that its person said, its actions are calls of their own; what was
      // read of a process was compared when it was read.
      row.tool === turnTool || row.tool === 'process_read'
        ? { ...row, op: null, result: row.result && '' }
        : { ...row, op: opIn(row.arguments) ?? null },
    ),
    confirmations,
    agent: readAgentRows((table) => readRows(folder, table)),
    steps: z.array(step).parse(readRows(folder, 'steps')),
    machines: Object.fromEntries(
      keys.flatMap(({ digest, machineId }) => (machineId ? [[digest, machineId]] : [])),
    ),
  };
};
