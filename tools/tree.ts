import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', '.turbo', '.nuxt', '.artifacts', 'fixtures']);

/** The files below a folder of `root` whose name matches, as paths from `root`. */
export const filesBelow = (root: string, folder: string, name: RegExp): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(root, path, name);
    return name.test(entry.name) ? [path] : [];
  });
