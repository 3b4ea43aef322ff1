import { existsSync, readdirSync, readlinkSync, statSync, type Dirent } from 'node:fs';
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path';
import { isExecutable } from '../../../../program/quiet-files.ts';
import { words } from '../../../../text/words.ts';
import { wayOf } from './links.ts';
import { untilChanged } from './stamped.ts';
import { isOfSystem } from './system.ts';

/** Names of folders that hold programs and little else. */
const programFolders = new Set(words('bin sbin shims .bin scripts Scripts condabin cmd platform-tools'));
/** What the folder above programs has for them: nothing else of it is read. */
const besidePrograms = words(`
  lib lib32 lib64 libexec include share jre conf jmods legal release sdk shared host packs
`);
/** The same of Go itself, which a file tells from a GOPATH with the person's sources. */
const besideGo = words('lib pkg src VERSION go.env');
/** In a folder that holds them, other things of the person may stand beside. */
const commonFolders = ['.local', '.cache', '.config'];
/** Programs that are read one by one, of another folder in PATH. */
const maxSinglePrograms = 50;
const maxDepth = 3;

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** `node_modules` with all packages: a program of one of them needs the others. */
const packagesAround = (path: string): string | undefined => {
  const names = path.split(sep);
  const at = names.indexOf('node_modules');
  return at === -1 ? undefined : names.slice(0, at + 1).join(sep);
};

/** What a program in this folder of programs needs: the folder, and its own part of the one above. */
const installationOf = (folder: string, home: string): string[] => {
  const above = dirname(folder);
  if (['pyvenv.cfg', 'conda-meta'].some((name) => existsSync(join(above, name)))) return [above];
  if (existsSync(join(above, 'VERSION')) && existsSync(join(folder, 'gofmt')))
    return [folder, ...besideGo.map((name) => join(above, name))];
  const isCommon = above === home || commonFolders.some((name) => above === join(home, name));
  return [folder, ...(isCommon ? [] : besidePrograms.map((name) => join(above, name)))];
};

/** Where the links of a folder lead that lead out of the system. */
const targetsIn = untilChanged((folder) =>
  entriesOf(folder)
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => resolve(folder, readlinkSync(join(folder, name))))
    .filter((target) => !isOfSystem(target)),
);

const singlePrograms = (folder: string): string[] =>
  entriesOf(folder)
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => join(folder, name))
    .filter((path) => isExecutable(path) && statSync(path).isFile())
    .slice(0, maxSinglePrograms);

interface Place {
  home: string;
  root: string;
}

const ofTarget = (target: string, { home, root }: Place): { paths: string[]; programs?: string } => {
  const way = wayOf(target, root);
  if (way === undefined || way.isInRoot || isOfSystem(way.real)) return { paths: [] };
  const packages = packagesAround(way.real);
  if (packages !== undefined) return { paths: [target, packages] };
  const folder = dirname(way.real);
  if (!programFolders.has(basename(folder))) return { paths: [target] };
  return { paths: [target, ...installationOf(folder, home)], programs: folder };
};

/**
 * What the programs of PATH need beside the system: absolute paths, there or not. Of a folder that holds
 * more than programs only the programs are opened, so that an entry such as `~` opens nothing beside them.
 */
export const findPrograms = (path: string, place: Place): string[] => {
  const found = new Set<string>();
  const seen = new Set<string>();
  const follow = (folder: string, depth: number): void => {
    if (seen.has(folder)) return;
    seen.add(folder);
    for (const target of targetsIn(folder)) {
      const { paths, programs } = ofTarget(target, place);
      for (const one of paths) found.add(one);
      if (programs !== undefined && depth < maxDepth) follow(programs, depth + 1);
    }
  };
  for (const folder of path.split(delimiter)) {
    const way = wayOf(folder, place.root);
    if (way === undefined || way.isInRoot) continue;
    const { real } = way;
    const isOfPrograms = programFolders.has(basename(real));
    if (!isOfSystem(real)) {
      const packages = packagesAround(real);
      const ofFolder = isOfPrograms ? [folder, ...installationOf(real, place.home)] : singlePrograms(folder);
      for (const one of packages === undefined ? ofFolder : [folder, packages]) found.add(one);
    }
    if (isOfPrograms) follow(real, 0);
  }
  return [...found];
};
