import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).optional();
const manifest = z.looseObject({
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
});

/** The folder of a package that a file in `from` would import, where it is installed. */
const folderOf = (name: string, from: string): string | undefined => {
  const here = join(from, 'node_modules', name);
  if (existsSync(here)) return realpathSync(here);
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
};

/** Copies packages that the folder `from` has, with what they need, into `node_modules` of `to`. */
export const copyPackages = (from: string, to: string, wanted: readonly string[]): void => {
  for (const name of wanted) {
    const folder = folderOf(name, from);
    const copy = join(to, 'node_modules', name);
    if (folder === undefined || existsSync(copy)) continue;
    cpSync(folder, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
    const { dependencies, optionalDependencies, peerDependencies } = manifest.parse(
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    );
    copyPackages(folder, to, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
  }
};
