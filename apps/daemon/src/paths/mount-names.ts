import { isWithin } from './protected.ts';
import { readQuietly } from '../program/quiet-files.ts';

export interface Mount {
  device: string;
  /** The folder of its file system that it shows, and where. */
  shows: string;
  at: string;
}

const octal = /\\([0-7]{3})/g;
const decoded = (text = ''): string =>
  text.replace(octal, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

const parse = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    const [, , device, shows, at] = line.split(' ');
    return device === undefined || at === undefined
      ? []
      : [{ device, shows: decoded(shows), at: decoded(at) }];
  });

/** The last list, which is the same at most calls. */
let known: { text: string; mounts: Mount[] } | undefined;

/** All mounts of this process; `text`: what the kernel says of them. */
export const readMounts = (text = readQuietly('/proc/self/mountinfo') ?? ''): readonly Mount[] => {
  if (known?.text !== text) known = { text, mounts: parse(text) };
  return known.mounts;
};

const joined = (folder: string, rest: string): string => (folder === '/' ? rest || '/' : folder + rest);
const restOf = (path: string, folder: string): string => (folder === '/' ? path : path.slice(folder.length));

/** Other names of a real path, by bind mounts: where it, a folder above it, or one in it is mounted too. */
export const mountNamesOf = (path: string, mounts: readonly Mount[]): string[] => {
  // The last of the longest is the one that is seen.
  const own = mounts
    .filter(({ at }) => isWithin(path, at))
    .reduce<Mount | undefined>(
      (best, one) => (best && best.at.length > one.at.length ? best : one),
      undefined,
    );
  if (own === undefined) return [];
  const inside = joined(own.shows, restOf(path, own.at));
  return mounts.flatMap((one) => {
    if (one === own || one.device !== own.device) return [];
    if (isWithin(inside, one.shows)) return [joined(one.at, restOf(inside, one.shows))];
    return isWithin(one.shows, inside) ? [one.at] : [];
  });
};
