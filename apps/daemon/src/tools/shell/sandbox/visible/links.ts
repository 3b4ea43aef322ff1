import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { isWithin } from '../../../../paths/protected.ts';

const maxLinks = 40;

const statOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // In a folder that is closed to this account, or below a file.
    return undefined;
  }
};

/** Where a typed path leads, and the links on the way: a command has to find both. */
export interface Way {
  real: string;
  links: { path: string; target: string }[];
  /** Whether it passes through the root, where a command can change what it leads to. */
  isInRoot: boolean;
}

/** Undefined for a path that leads nowhere. */
export const wayOf = (typed: string, root: string): Way | undefined => {
  const links: Way['links'] = [];
  let isInRoot = isWithin(typed, root);
  let at: string = sep;
  let ahead = typed.split(sep).filter(Boolean);
  while (ahead.length > 0) {
    const [name = '', ...rest] = ahead;
    const path = resolve(at, name);
    const found = statOf(path);
    if (found === undefined) return undefined;
    isInRoot ||= isWithin(path, root);
    if (found.isSymbolicLink()) {
      if (links.length === maxLinks) return undefined;
      const target = readlinkSync(path);
      links.push({ path, target });
      ahead = [...resolve(dirname(path), target).split(sep).filter(Boolean), ...rest];
      at = sep;
      continue;
    }
    if (rest.length > 0 && !found.isDirectory()) return undefined;
    at = path;
    ahead = rest;
  }
  return { real: at, links, isInRoot };
};

/** Without those that lie in another one of them, or in one of `others`. */
export const outermost = (paths: Iterable<string>, others: readonly string[] = []): string[] => {
  const all = [...new Set(paths)].sort();
  const kept: string[] = [];
  for (const path of all) if (![...kept, ...others].some((other) => isWithin(path, other))) kept.push(path);
  return kept;
};
