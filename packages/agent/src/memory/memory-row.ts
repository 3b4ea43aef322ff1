import type { MemoryRow } from '../rows.ts';
import type { AgentStore } from '../store-port.ts';

/** What is known of a user; empty before anything is. */
export const memoryOf = async (store: AgentStore, userId: string): Promise<MemoryRow> => {
  const [row] = await store.find('agentMemory', { userId });
  return row ?? { userId, sections: {}, enabled: true, version: 0, updatedAt: 0 };
};

/** The row after a change, with the next version. */
export const memoryRow = (
  row: MemoryRow,
  { now, ...change }: Partial<Pick<MemoryRow, 'sections' | 'enabled'>> & { now: number },
): MemoryRow => ({ ...row, ...change, version: row.version + 1, updatedAt: now });
