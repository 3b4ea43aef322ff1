import type { CopyNeeds, CopiedTable } from './copy/copy-store.store.ts';

export { backUp, requireSound } from './backup.store.ts';
export { restore } from './restore.store.ts';

/** Loaded once it is needed: it knows the agent's messages. */
export const copyStore = async (needs: CopyNeeds): Promise<CopiedTable[]> =>
  (await import('./copy/copy-store.store.ts')).copyStore(needs);
