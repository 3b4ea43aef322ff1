import { systemClock } from '@drawbridge/kit';
import { createSessionFile, type KeptSession } from '../../link/index.ts';

/** The session that is saved in the private folder, without its key; null where this machine is not paired. */
export const findKept = (privateFolder: string): Promise<KeptSession | null> =>
  createSessionFile({ folder: privateFolder, clock: systemClock }).readKept();
