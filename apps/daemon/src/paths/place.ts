import { lstatSync, readdirSync, readlinkSync, statfsSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { pathErrors as errors } from './errors.ts';
import { maxLinks, maxNameBytes, maxPathBytes } from './limits.ts';
import { isWithin } from './protected.ts';

export type PlaceKind = 'missing' | 'file' | 'folder' | 'link' | 'other';

/** `path` has no link in it, except a last name of kind `link`; `typed` is the same path unresolved. */
export interface Place {
  path: string;
  typed: string;
  kind: PlaceKind;
  /** In bytes, as it was seen; what is opened may be of another size. */
  size: number;
}

/** `last` says what a link at the very end means: what it points at, or itself. */
export interface Resolution {
  root: string;
  last: 'follow' | 'keep';
}

/** Kernel interfaces that look like files: proc, sysfs, securityfs, debugfs, tracefs, bpf, cgroup, devpts. */
const kernelFilesystems = new Set([
  0x9fa0, 0x62656572, 0x73636673, 0x64626720, 0x74726163, 0xcafe4a11, 0x27e0eb, 0x63677270, 0x1cd1,
]);

const isKernels = (path: string): boolean => kernelFilesystems.has(statfsSync(path).type);

/** Control characters and halves of characters. */
const unusable = /[\p{Cc}\p{Cs}]/u;

const check = (typed: string): void => {
  if (typed.trim() === '') throw errors.badPath({ message: 'The path is empty; "." is the folder itself' });
  if (unusable.test(typed)) {
    throw errors.badPath({ message: 'The path has control characters or broken text in it' });
  }
  if (Buffer.byteLength(typed) > maxPathBytes) throw errors.badPath({ message: 'The path is too long' });
  if (typed.split(sep).some((name) => Buffer.byteLength(name) > maxNameBytes)) {
    throw errors.badPath({ message: 'A name in the path is too long' });
  }
};

const kindOf = (stats: Stats): PlaceKind => {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
};

const statAt = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    // A file stands where a folder was meant.
    if (hasCode(cause, 'ENOTDIR')) throw errors.notFolder({ cause });
    throw cause;
  }
};

export const notUtf8 =
  'This name is not UTF-8, and tools cannot use it: rename it with another program first';

/** Whether a name is how lists show another one, which is not UTF-8. */
const isShownOtherwise = (folder: string, name: string): boolean =>
  name.includes('\ufffd') &&
  readdirSync(folder, { encoding: 'buffer' }).some((raw) => raw.toString() === name);

const outside = (root: string) =>
  errors.outside({ message: `This path leads outside the shared folder ${root}` });

const names = (path: string): string[] => path.split(sep).filter(Boolean);

const below = (root: string, path: string): string[] | undefined =>
  isWithin(path, root) ? names(path.slice(root.length)) : undefined;

/**
 * Resolves a typed path from the root, name by name, through links, without opening anything.
 * Compare again after opening (`open.ts`). Throws `badPath`, `outside`, `notFolder`.
 */
export const findPlace = (typed: string, { root, last }: Resolution): Place => {
  check(typed);
  const literal = resolve(root, typed);
  const start = below(root, literal);
  if (start === undefined) throw outside(root);
  let ahead = start;
  let path = root;
  let kind: PlaceKind = 'folder';
  let size = 0;
  let rootDevice: number | undefined;
  for (let links = 0; ahead.length > 0;) {
    const [name = '', ...rest] = ahead;
    if (name === '..') {
      // Only a link's own target has these, and `path` is real here, so its parent is the kernel's.
      path = dirname(path);
      if (!isWithin(path, root)) throw outside(root);
      ahead = rest;
      continue;
    }
    const next = join(path, name);
    const stats = statAt(next);
    if (stats === undefined) {
      if (isShownOtherwise(path, name)) throw errors.badPath({ message: notUtf8 });
      if (rest.includes('..')) throw errors.notFound();
      return { path: join(next, ...rest), typed: literal, kind: 'missing', size: 0 };
    }
    kind = kindOf(stats);
    if (kind === 'link' && (rest.length > 0 || last === 'follow')) {
      links += 1;
      if (links > maxLinks) throw errors.badPath({ message: 'The path leads through too many links' });
      const target = follow(readlinkSync(next), path, root);
      path = target.from;
      ahead = [...target.names, ...rest];
      kind = 'folder';
      continue;
    }
    if (kind !== 'folder' && rest.length > 0) throw errors.notFolder();
    if (kind === 'folder' && stats.dev !== (rootDevice ??= lstatSync(root).dev) && isKernels(next)) {
      throw errors.notFile({ message: 'This is a kernel interface, not a file' });
    }
    size = stats.size;
    path = next;
    ahead = rest;
  }
  return { path, typed: literal, kind, size };
};

/** Where a link's target goes on from: the real folder that the link stands in, or the root. */
const follow = (target: string, folder: string, root: string): { from: string; names: string[] } => {
  const steps = target.split(sep);
  const firstName = steps.findIndex((step) => step !== '..' && step !== '.' && step !== '');
  const climbsOnlyFirst = firstName === -1 || !steps.slice(firstName).includes('..');
  if (climbsOnlyFirst) {
    const inside = below(root, resolve(folder, target));
    if (inside === undefined) throw outside(root);
    return { from: root, names: inside };
  }
  if (target.startsWith(sep)) throw outside(root);
  return { from: folder, names: steps.filter((step) => step !== '' && step !== '.') };
};
