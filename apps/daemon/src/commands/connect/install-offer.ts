import { homedir } from 'node:os';
import { releaseName } from '@drawbridge/contracts/release';
import { CodedError } from '@drawbridge/kit';
import { currentName, installedPlaces, launcherState } from '../../install/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';
import { installedRows, installHere, isFromNpx, type InstallNeeds } from '../installation/install.ts';
import { askYesOrNo } from '../common/command.ts';
import { errors } from '../common/errors.ts';

export interface OfferToInstall extends InstallNeeds {
  terminal: TerminalOutput;
  wanted: boolean | null;
  ask: boolean;
}

const saidYes = async (before: string | null): Promise<boolean> => {
  const answer = await askYesOrNo(
    before === null
      ? 'Install drawbridge for this user? Then `drawbridge` starts it in any terminal.'
      : `drawbridge ${before} is installed. Use this release from now on?`,
    true,
  );
  // Ctrl-C is meant for the whole program.
  if (answer === null) throw errors.declined({ message: 'Not connected' });
  return answer;
};

const isWelcome = async ({ wanted, ask, release }: OfferToInstall): Promise<boolean> => {
  if (wanted !== null) return wanted;
  if (!ask || !(await isFromNpx())) return false;
  const places = installedPlaces(homedir());
  const launcher = await launcherState(places);
  if (launcher === 'foreign') return false;
  const before = launcher === 'ours' ? await currentName(places) : null;
  return before !== releaseName(release) && (await saidYes(before));
};

/**
 * Installs for this user when a flag or the answer says so. A failure does not stop the connection.
 * Throws `declined` for a question that was cancelled.
 */
export const offerToInstall = async (needs: OfferToInstall): Promise<void> => {
  const { terminal } = needs;
  if (!(await isWelcome(needs))) return;
  try {
    for (const [word, text] of installedRows(await installHere(needs))) terminal.line(word, text, 'green');
  } catch (error) {
    const isCoded = error instanceof CodedError;
    terminal.problem(
      `Not installed: ${error instanceof Error ? error.message : 'it failed'}`,
      isCoded ? error.fix : undefined,
    );
  }
};
