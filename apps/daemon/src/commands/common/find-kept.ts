import { systemClock } from '@drawbridge/kit';
import { createSessionFile, type KeptSession } from '../../link/index.ts';

/** The saved session of this folder, without its key; null where the machine is not paired. */
export const findKept = (privateFolder: string): Promise<KeptSession | null> =>
  createSessionFile({ folder: privateFolder, clock: systemClock }).readKept();
