import { closeSync, mkdirSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { pathErrors as errors } from './errors.ts';
import { openFolder, openSubfolder, type Folder } from './open.ts';

const openNearest = (path: string, root: string): Folder => {
  for (let at = path; ; at = dirname(at)) {
    try {
      return openFolder(at);
    } catch (error) {
      if (hasCode(error, 'ENOTDIR')) throw errors.notFolder({ cause: error });
      if (!hasCode(error, 'ENOENT') || at === root) throw error;
    }
  }
};

const makeIn = (parent: Folder, name: string): void => {
  try {
    mkdirSync(parent.entry(name));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};

/** Makes a folder and its parents, each inside an open one. Returns it open; close `fd` when done. */
export const mkdirp = (path: string, root: string): Folder => {
  let folder = openNearest(path, root);
  const missing = path.slice(folder.path.length).split(sep).filter(Boolean);
  for (const name of missing) {
    const parent = folder;
    try {
      makeIn(parent, name);
      folder = openSubfolder(parent, name);
    } catch (error) {
      if (hasCode(error, 'ENOTDIR')) throw errors.notFolder({ cause: error });
      throw error;
    } finally {
      closeSync(parent.fd);
    }
  }
  return folder;
};
