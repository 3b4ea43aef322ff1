import { dirname, sep } from 'node:path';
import { isWithin } from '../../../paths/protected.ts';

/** Folders that are closed one by one; more are closed by a folder above them. */
const maxUnseen = 200;
/** Mounts of one command, with the folders above them; each takes longer than the one before. */
const maxMounts = 1_000;
/** Bytes of their paths, which are arguments of a program. */
const maxMountBytes = 400_000;
/** Mounts times bytes: bubblewrap reads the paths of all of them again at each. */
const maxMountWork = 50_000_000;
/** bubblewrap reaches a path below a name of its own, and stand-ins are made below it. */
const maxMountable = 3_900;

const depthOf = (path: string): number => path.split(sep).length;

const isMountable = (path: string): boolean => Buffer.byteLength(path) <= maxMountable;

/** The path, or the nearest folder above it that can be mounted. */
const mountable = (path: string): string => {
  let at = path;
  while (!isMountable(at)) at = dirname(at);
  return at;
};

/** Folders that hold all of these paths, those furthest from the root first replaced by what holds them. */
const coverOf = (paths: readonly string[], root: string, fits: (paths: string[]) => boolean): string[] => {
  const levels = new Map<number, Set<string>>();
  const add = (path: string) => {
    const depth = depthOf(path);
    const level = levels.get(depth) ?? new Set();
    levels.set(depth, level.add(path));
  };
  for (const path of new Set(paths.map(mountable))) add(isWithin(path, root) ? path : root);
  for (;;) {
    const all = [...levels.values()].flatMap((level) => [...level]);
    if (fits(all) || all.length === 0 || (all.length === 1 && all[0] === root)) return all;
    const deepest = Math.max(...levels.keys());
    const folders = [...(levels.get(deepest) ?? [])];
    levels.delete(deepest);
    for (const path of folders) add(path === root ? root : dirname(path));
  }
};

const fitMounts =
  (root: string) =>
  (paths: string[]): boolean => {
    if (paths.length > maxMounts) return false;
    const all = new Set(paths);
    for (const path of paths)
      for (let at = dirname(path); at !== root && isWithin(at, root) && !all.has(at); at = dirname(at))
        all.add(at);
    let bytes = 0;
    for (const path of all) bytes += path.length;
    return all.size <= maxMounts && bytes <= maxMountBytes && all.size * bytes <= maxMountWork;
  };

/**
 * What is made read-only in one piece: few folders for those that were not inspected, and folders with
 * protected paths where those are too many, or too long, to be closed one by one. At the worst the root.
 */
export const coversOf = (
  root: string,
  { unseen, paths }: { unseen: readonly string[]; paths: readonly string[] },
): string[] => {
  const covers = coverOf(unseen, root, (few) => few.length <= maxUnseen);
  const long = paths.filter((path) => !isMountable(path)).map(mountable);
  const all = [...covers, ...long, ...paths.filter(isMountable)];
  if (fitMounts(root)(all)) return [...new Set([...covers, ...long])];
  const known = new Set(paths);
  return coverOf([...all], root, fitMounts(root)).filter((path) => !known.has(path) || covers.includes(path));
};

/** What is hidden for these pipes: each of them, or a folder with those that are too deep for a mount. */
export const pipeCoversOf = (root: string, pipes: readonly string[]): string[] =>
  coverOf(pipes, root, fitMounts(root));
