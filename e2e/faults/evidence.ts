import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { z } from 'zod';
import { readAgentRows, type AgentRows } from './agent/rows.ts';
import { readHistory, type Entry } from './history.ts';
import { opIn, readLeft, type Edit, type Mark } from './marks.ts';
import { dataFolder, historyFile } from './play.ts';

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

const sessionKey = z.object({ digest: z.string(), machineId: z.string().nullable() });

/** A call as the server's database has it at the end. `op` is null for one that no plan made. */
export type CallRow = z.infer<typeof call> & { op: string | null };
export type ConfirmationRow = z.infer<typeof confirmation>;

/** All that is left of a run. */
export interface Evidence {
  history: Entry[];
  marks: Mark[];
  edits: Edit[];
  calls: CallRow[];
  confirmations: ConfirmationRow[];
  agent: AgentRows;
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

const readTable = <T>(database: Database.Database, table: string, row: z.ZodType<T>): T[] =>
  z.array(row).parse(database.prepare(`select * from ${table}`).all());

/** Reads the folder of a run that is over. */
export const readEvidence = async (folder: string): Promise<Evidence> => {
  const database = new Database(join(dataFolder(folder), 'drawbridge.db'), { readonly: true });
  const calls = readTable(database, 'calls', call);
  const confirmations = readTable(database, 'confirmations', confirmation);
  const keys = readTable(database, 'gatewayKeys', sessionKey);
  const agent = readAgentRows(database);
  database.close();
  return {
    history: await readHistory(historyFile(folder)),
    ...readLeft(rootsIn(folder)),
    calls: calls.map((row) => ({ ...row, op: opIn(row.arguments) ?? null })),
    confirmations,
    agent,
    machines: Object.fromEntries(
      keys.flatMap(({ digest, machineId }) => (machineId ? [[digest, machineId]] : [])),
    ),
  };
};
