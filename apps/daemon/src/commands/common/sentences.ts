import { compareReleases, releaseName, type Release } from '@drawbridge/contracts/release';
import { ownCommand } from '../../program/own-command.ts';
import { visible } from '@drawbridge/kit';
import type { KeptSession } from '../../link/index.ts';

/** One sentence where the server gives another daemon than the one that runs here, else null. */
export const showDifference = (own: Release, offered: Release): string | null => {
  const is = compareReleases(own, offered);
  if (is === 'same') return null;
  const both = `the server has ${releaseName(offered)}, this machine runs ${releaseName(own)}`;
  return is === 'newer' ? `${both}. Run ${ownCommand('update')}` : `${both}, which is newer`;
};

/** What a machine needs that is not paired. */
export const pairInPanel = 'Open the panel, choose Connect a machine, and run the command that it shows.';

export const showKept = (keptIn: KeptSession['keptIn'], privateFolder: string): string =>
  keptIn === 'keyring'
    ? 'in the keyring of the system'
    : `in ${visible(privateFolder)}/session.json, which only you can read`;
