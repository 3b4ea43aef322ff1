import { plainCommand } from '../../../permission/index.ts';
import { locate } from '../../common/access.ts';
import type { ToolContext } from '../../common/tool.ts';

/** Within a word, what follows one of these may be a path too: `HEAD:a`, `@a`, `file:///a`. */
const separator = /[:@,+]/;
const maxParts = 8;
const maxOptionLength = 64;

/** A name with what follows it, of a word that has several: `a:b` may mean `a:b`, `a` and `b`. */
const pathsIn = (word: string): string[] => {
  const starts = [0, ...[...word.matchAll(new RegExp(separator, 'g'))].map(({ index }) => index + 1)];
  const ends = [...starts.slice(1).map((at) => at - 1), word.length];
  return starts.flatMap((from) => ends.filter((to) => to > from).map((to) => word.slice(from, to)));
};

/** What an option such as `-fname` may carry. */
const valuesIn = (option: string): string[] =>
  option.startsWith('--') ? [] : Array.from(option.slice(2), (_, at) => option.slice(at + 2));

/**
 * Whether every word of a plain command that may be a path leads to a place in the root, through links too.
 * For rules with further words: the others were shown to the person.
 */
export const staysInRoot = (
  context: ToolContext,
  { folder, text }: { folder: string; text: string },
): boolean => {
  const leadsInside = (path: string): boolean => {
    // A shell goes up from where a link leads, not from where it lies.
    if (path.split('/').includes('..')) return false;
    try {
      locate(context, path.startsWith('/') ? path : `${folder}/${path}`, { access: 'read' });
      return true;
    } catch {
      return false;
    }
  };
  const isInside = (word: string): boolean => {
    if (!word.startsWith('-')) {
      return word.split(separator).length <= maxParts && pathsIn(word).every(leadsInside);
    }
    if (word.includes('/') || word.endsWith('..') || word.length > maxOptionLength) return false;
    return valuesIn(word).every(leadsInside);
  };
  const [, ...words] = plainCommand(text) ?? [];
  return words.every(isInside);
};
