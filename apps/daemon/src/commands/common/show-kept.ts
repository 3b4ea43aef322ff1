import { visible } from '@drawbridge/kit';
import type { KeptSession } from '../../link/index.ts';

/** Where the session key is, in words. */
export const showKept = (keptIn: KeptSession['keptIn'], privateFolder: string): string =>
  keptIn === 'keyring'
    ? 'in the keyring of the system'
    : `in ${visible(privateFolder)}/session.json, which only you can read`;
