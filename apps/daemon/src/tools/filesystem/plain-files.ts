import { closeSync, lstatSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { openFolder, type Folder } from './open.ts';
import { findPlace } from './place.ts';

/** Tells which paths are regular files inside the root now. Paths of one folder in a row share one look at it. */
export interface PlainFiles {
  /** `path` from the root, without a link in it. */
  has(path: string): boolean;
  close(): void;
}

/** The folder at a path from the root, open and verified; undefined where it is none, or reached through a link. */
const openPlainFolder = (root: string, path: string): Folder | undefined => {
  try {
    const place = findPlace(path, { root, last: 'keep' });
    const isPlain = place.kind === 'folder' && (relative(root, place.path) || '.') === path;
    return isPlain ? openFolder(place.path) : undefined;
  } catch {
    return undefined;
  }
};

const isFileIn = (folder: Folder, name: string): boolean => {
  try {
    return lstatSync(folder.entry(name), { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
};

export const createPlainFiles = (root: string): PlainFiles => {
  let at: string | undefined;
  let folder: Folder | undefined;
  const close = () => {
    if (folder !== undefined) closeSync(folder.fd);
    folder = undefined;
    at = undefined;
  };
  return {
    has: (path) => {
      const above = dirname(path);
      if (above !== at) {
        close();
        folder = openPlainFolder(root, above);
        at = above;
      }
      return folder !== undefined && isFileIn(folder, basename(path));
    },
    close,
  };
};
