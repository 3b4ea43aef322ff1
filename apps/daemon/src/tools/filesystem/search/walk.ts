import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { nextMacrotask } from '@drawbridge/kit';
import { isExcluded } from '../../../paths/limits.ts';
import { maxWalkedEntries } from '../limits.ts';
import { isUsable, type Found } from './ripgrep.ts';

const foldersPerTurn = 32;
/** After each so many folders the size of the whole tree is guessed from them. */
const foldersPerGuess = 8;

/** Names with `*` and with words in braces, which mean the same here as to ripgrep. */
const plainSegment = /^(?:[\p{L}\p{N}_.@+-]|\*(?!\*)|\{[\p{L}\p{N}_.@+-]+(?:,[\p{L}\p{N}_.@+-]+)*\})+$/u;

const expressionOf = (segment: string): string =>
  segment
    .replaceAll(/[.+]/g, String.raw`\$&`)
    .replaceAll(/\{([^}]*)\}/g, (_all, words: string) => `(?:${words.replaceAll(',', '|')})`)
    .replaceAll('*', '[^/]*');

/** What a plain glob matches; undefined for one with other signs. */
const matcherOf = (glob: string): RegExp | undefined => {
  const segments = glob.split('/');
  if (!segments.every((segment) => segment === '**' || plainSegment.test(segment))) return undefined;
  const last = segments.length - 1;
  const parts = segments.map((segment, at) => {
    if (segment === '**') return at === last ? '.+' : '(?:.+/)?';
    return `${expressionOf(segment)}${at === last ? '' : '/'}`;
  });
  return new RegExp(`^${parts.join('')}$`, 'su');
};

const list = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or closed to us: ripgrep passes over it as well.
    return [];
  }
};

/**
 * Finds files by name in a small tree, as ripgrep does, without starting a process. Undefined where that
 * is ripgrep's work: other globs, and trees that have more than `maxWalkedEntries`, or seem to have twice as
 * many.
 */
export const walk = async (root: string, glob: string, signal: AbortSignal): Promise<Found | undefined> => {
  const matcher = matcherOf(glob);
  if (matcher === undefined) return undefined;
  const paths: string[] = [];
  const ahead = [''];
  let walked = 0;
  for (let folder = ahead.pop(), turn = 1; folder !== undefined; folder = ahead.pop(), turn += 1) {
    signal.throwIfAborted();
    if (turn % foldersPerTurn === 0) await nextMacrotask();
    const guessed = (walked / turn) * (turn + ahead.length);
    if (turn % foldersPerGuess === 0 && guessed > 2 * maxWalkedEntries) return undefined;
    const entries = list(join(root, folder));
    walked += entries.length;
    if (walked > maxWalkedEntries) return undefined;
    for (const entry of entries) {
      if (isExcluded(entry.name)) continue;
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) ahead.push(`${path}/`);
      else if (entry.isFile() && matcher.test(path) && isUsable(path)) paths.push(path);
    }
  }
  return { paths, complete: true };
};
