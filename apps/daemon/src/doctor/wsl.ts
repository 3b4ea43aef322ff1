import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readQuietly } from '../program/quiet-files.ts';
import type { Check } from './check.ts';

const run = promisify(execFile);
const wslinfoMs = 2_000;

/** What a Linux inside of Windows says about itself. */
export interface WslFacts {
  /** The text of `/proc/version`. */
  version: string;
  /** The text of `/proc/mounts`. */
  mounts: string;
  /** The real path of the folder that is shared, or would be. */
  folder: string;
  /** What `wslinfo --networking-mode` says; undefined where there is no such program. */
  networking: string | undefined;
}

/** File systems that are folders of Windows. */
const ofWindows = new Set(['9p', 'drvfs', 'virtiofs']);

const typeAt = (folder: string, mounts: string): string | undefined =>
  mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, place = '']) => place === '/' || folder === place || folder.startsWith(`${place}/`))
    .reduce<string[]>(
      (nearest, one) => ((one[1] ?? '').length >= (nearest[1] ?? '').length ? one : nearest),
      [],
    )[2];

/** The row of a machine that is a Linux inside of Windows; none for others. */
export const evaluateWsl = ({ version, mounts, folder, networking }: WslFacts): Check[] => {
  if (!/microsoft/i.test(version)) return [];
  const name = 'wsl';
  // The kernel of WSL 1 is Windows, which calls itself `4.4.0-19041-Microsoft`.
  if (!/microsoft-standard|wsl2/i.test(version))
    return [
      {
        name,
        state: 'problem',
        says: 'WSL 1 has no user namespaces: no command runs in a sandbox',
        fix: 'In Windows: wsl --set-version <distribution> 2',
      },
    ];
  if (ofWindows.has(typeAt(folder, mounts) ?? ''))
    return [
      {
        name,
        state: 'warning',
        says: `${folder} is a folder of Windows, where walls around files were not tested, and files are slow`,
        fix: 'Share a folder of Linux, for example below your home folder there.',
      },
    ];
  if (networking?.trim() === 'mirrored')
    return [
      {
        name,
        state: 'note',
        says: 'WSL 2 with mirrored network: localhost of a command that asks for a port of it is that of Windows, too',
      },
    ];
  return [{ name, state: 'ok', says: 'WSL 2, and the folder is one of Linux' }];
};

export const checkWsl = async (folder: string): Promise<Check[]> => {
  const version = readQuietly('/proc/version') ?? '';
  if (!/microsoft/i.test(version)) return [];
  const said = await run('wslinfo', ['--networking-mode'], { timeout: wslinfoMs }).catch(() => undefined);
  return evaluateWsl({
    version,
    mounts: readQuietly('/proc/mounts') ?? '',
    folder,
    networking: said?.stdout,
  });
};
