import { lstatSync } from 'node:fs';
import { relative } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { isWithin } from '../../../paths/protected.ts';

/** Compared in one step, which takes about a millisecond. */
const comparedAtOnce = 200;

/** Tells what stands at a path from all that can stand there later; undefined where it cannot be seen. */
const identityOf = (path: string): string | undefined => {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? 'gone' : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
  } catch (error) {
    return hasCode(error, 'EACCES') ? undefined : 'gone';
  }
};

/** What stands at the mounts of a command. */
export interface HeldPlaces {
  /** Compares some of them: whether none that was compared has been replaced. Never waits. */
  areIntact(): boolean;
  /** No longer compares a path. */
  forget(path: string): void;
  /** Compares all; gives the paths where something else stood at any comparison. */
  replaced(): string[];
}

/**
 * The kernel unmounts what lies on a file or folder that another program replaces or removes, also in the
 * sandbox of a running command, which can then write there.
 */
export const holdPlaces = (paths: Iterable<string>): HeldPlaces => {
  const known = new Map<string, string>();
  for (const path of paths) {
    const identity = identityOf(path);
    if (identity !== undefined) known.set(path, identity);
  }
  const replaced = new Set<string>();
  const compare = ([path, identity]: [string, string]) => {
    const now = identityOf(path);
    if (now !== undefined && now !== identity) replaced.add(path);
  };
  let ahead = known.entries();
  return {
    areIntact: () => {
      for (let count = 0; count < Math.min(comparedAtOnce, known.size); count += 1) {
        const next = ahead.next();
        if (next.done === true) ahead = known.entries();
        else compare(next.value);
      }
      return replaced.size === 0;
    },
    forget: (path) => {
      known.delete(path);
      replaced.delete(path);
    },
    replaced: () => {
      for (const one of known) compare(one);
      return [...replaced];
    },
  };
};

const maxNamed = 10;

/** What a command may have changed while a wall was off. */
export const sayReplaced = (root: string, replaced: readonly string[]): string[] => [
  ...replaced
    .slice(0, maxNamed)
    .map(
      (path) =>
        `${isWithin(path, root) ? relative(root, path) : path} was replaced or removed by another program, after which the sandbox no longer protects it: the command was stopped, if it still ran. Tell the user to check what stands there now.`,
    ),
  ...(replaced.length > maxNamed ? [`So were ${replaced.length - maxNamed} more.`] : []),
];
