import { lstat, mkdir, readlink, realpath, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errors } from './errors.ts';
import { currentProgram, type Places } from '../program/places.ts';
import { putLink } from './versions.ts';

export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

export type LauncherState = 'ours' | 'none' | 'foreign';

export const launcherState = async (places: Places): Promise<LauncherState> => {
  const { launcher } = places;
  try {
    if (!(await lstat(launcher)).isSymbolicLink()) return 'foreign';
    const target = resolve(dirname(launcher), await readlink(launcher));
    return target === currentProgram(places) ? 'ours' : 'foreign';
  } catch {
    return 'none';
  }
};

/** Throws `LAUNCHER_TAKEN` where another program has its place. */
export const keepForeign = async (places: Places): Promise<void> => {
  if ((await launcherState(places)) !== 'foreign') return;
  throw errors.noLauncher({
    message: `${places.launcher} is another program`,
    fix: 'Move it away, and run this command again.',
  });
};

/** Makes the launcher if it is missing. Throws `LAUNCHER_TAKEN`. */
export const putLauncher = async (places: Places): Promise<void> => {
  const { launcher } = places;
  await keepForeign(places);
  if ((await launcherState(places)) === 'ours') return;
  await mkdir(dirname(launcher), { recursive: true });
  await putLink(launcher, currentProgram(places));
};

/** True when there was one of ours. */
export const removeLauncher = async (places: Places): Promise<boolean> => {
  if ((await launcherState(places)) !== 'ours') return false;
  await rm(places.launcher, { force: true });
  return true;
};

const real = (folder: string): Promise<string> => realpath(folder).catch(() => folder);

/** The line that puts the launcher's folder in PATH, for the shell of this user; null where it is there. */
export const pathLine = async (
  { launcher }: Places,
  { path, shell }: { path: string; shell: string },
): Promise<string | null> => {
  const folder = await real(dirname(launcher));
  const inPath = await Promise.all(path.split(':').filter(Boolean).map(real));
  if (inPath.includes(folder)) return null;
  if (shell.endsWith('/fish')) return 'fish_add_path ~/.local/bin';
  const file = shell.endsWith('/zsh') ? '~/.zshrc' : shell.endsWith('/bash') ? '~/.bashrc' : '~/.profile';
  return `echo 'export PATH="$HOME/.local/bin:$PATH"' >> ${file}`;
};
