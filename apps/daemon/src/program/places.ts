import { join, sep } from 'node:path';

/** Settings, session, journal and versions of a person. */
export const privateFolderOf = (home: string): string => join(home, '.drawbridge');

/** Where the Node is that was installed because the machine's own is too old; in the private folder. */
export const broughtNodeFolder = (privateFolder: string): string => join(privateFolder, 'node');

export const installedPlaces = (home: string) => ({
  /** A folder for each release, and `current`, a link to the one that is used. */
  versions: join(privateFolderOf(home), 'versions'),
  launcher: join(home, '.local', 'bin', 'drawbridge'),
});

export type Places = ReturnType<typeof installedPlaces>;

/** The folder that npm makes for this package, in the folder of a release or of a run by npx. */
export const packageIn = (folder: string): string => join(folder, 'node_modules', '@drawbridge', 'daemon');

export const programIn = (folder: string): string => join(packageIn(folder), 'dist', 'cli.cjs');

/** The program of the release that is used, by a path that stays the same after an update. */
export const currentProgram = ({ versions }: Places): string => programIn(join(versions, 'current'));

/** The folder of one npx run in npm's cache; null for a program that stays where it is. */
export const npxFolder = (script: string): string | null => {
  const parts = script.split(sep);
  const at = parts.indexOf('_npx');
  return at === -1 || parts.length < at + 3 ? null : parts.slice(0, at + 2).join(sep);
};
