import { closeSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { openFolder } from './open.ts';
import { findPlace } from './place.ts';

/** The names of the regular files in a folder, given relative to the root. Empty for links and errors. */
export const plainFilesIn = (root: string, folder: string): ReadonlySet<string> => {
  try {
    const place = findPlace(folder, { root, last: 'keep' });
    if (place.kind !== 'folder' || (relative(root, place.path) || '.') !== folder) return new Set();
    const opened = openFolder(place.path);
    try {
      const entries = readdirSync(opened.entry('.'), { withFileTypes: true });
      return new Set(entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])));
    } finally {
      closeSync(opened.fd);
    }
  } catch {
    return new Set();
  }
};
