import { realpath, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../../paths/protected.ts';
import { ownCommand } from '../../program/own-command.ts';
import { errors } from './errors.ts';

/** The real path of a folder. Throws `badFolder`. */
export const findRootFolder = async (dir: string): Promise<string> => {
  const path = await realpath(resolve(dir)).catch(() => {
    throw errors.badFolder({ message: `There is no folder ${dir}` });
  });
  if (!(await stat(path)).isDirectory()) throw errors.badFolder({ message: `Not a folder: ${dir}` });
  return path;
};

/** The home folder by the environment and by the account. An account may have no entry. */
const ownHomes = (): string[] => {
  try {
    return [homedir(), userInfo().homedir];
  } catch {
    return [homedir()];
  }
};

/** Homes of this system's accounts, which also an account without such a home does not share as a whole. */
const systemHomes = ['/root', '/var/root', '/home', '/Users'];
/** Each folder in these is the home of an account. */
const accountFolders = ['/home', '/Users'];
/** Below a home: what programs of the person run at once, whatever the files are called. */
const startFolders = [
  '.ssh',
  '.gnupg',
  '.drawbridge',
  '.local/bin',
  ...['git', 'systemd', 'autostart', 'environment.d', 'fish', 'powershell', 'nvim', 'zed'].map((name) =>
    join('.config', name),
  ),
  'Library/LaunchAgents',
];

const tooWide = (message: string) =>
  errors.tooWide({
    message,
    fix:
      'Share a folder inside of it that holds your work: change to that folder and run this command again, or ' +
      `${ownCommand('connect --dir <folder>')}.`,
  });

/** Throws `tooWide` for a folder in which programs of the person read their start-up files and keys. */
export const refuseWide = async (path: string, homes = ownHomes()): Promise<void> => {
  const real = await Promise.all([...homes, ...systemHomes].map((one) => realpath(one).catch(() => one)));
  if (real.some((one) => isWithin(one, path)) || accountFolders.includes(dirname(path)))
    throw tooWide(
      `${path} cannot be shared: it is or holds a home folder, with the keys and the start-up files of your programs`,
    );
  const starts = real.slice(0, homes.length).flatMap((home) => startFolders.map((name) => join(home, name)));
  if (starts.some((one) => isWithin(one, path) || isWithin(path, one)))
    throw tooWide(`${path} cannot be shared: your programs run or obey what stands there`);
};

/**
 * The folder of a session when none is given: the one that was shared last, else the current one. Throws
 * `badFolder` and `tooWide`.
 */
export const findSessionFolder = async (
  given: string | null,
  before: string | undefined,
): Promise<string> => {
  const path =
    given !== null || before === undefined
      ? await findRootFolder(given ?? '.')
      : await findRootFolder(before).catch((cause: unknown) => {
          throw errors.badFolder({
            message: `The folder of this machine is no longer there: ${before}`,
            fix: 'Pass another folder with --dir; --dir . is the current one.',
            cause,
          });
        });
  await refuseWide(path);
  return path;
};
