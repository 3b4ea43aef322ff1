import type { RunContext, Work } from '../engine/context.ts';
import { memoryOf } from './memory-row.ts';

type Reads = Pick<RunContext, 'config' | 'store'>;

/** Whether an agent may know what is remembered of the person. */
export const usesMemory = async ({ config }: Reads, { agent, run }: Pick<Work, 'agent' | 'run'>) =>
  agent.kind === 'main' && run.usesMemory && (await config()).memoryNamespace !== null;

/** Whether it may add to it: the person has not switched it off. */
export const mayRemember = async (ctx: Reads, work: Pick<Work, 'agent' | 'run'>): Promise<boolean> =>
  (await usesMemory(ctx, work)) && (await memoryOf(ctx.store, work.run.userId)).enabled;
