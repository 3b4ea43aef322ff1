import { relative } from 'node:path';
import { cutText, mainLine, visible } from '@drawbridge/kit';
import type { Resource } from '../../permission/index.ts';
import { counted } from '../../text/words.ts';

const maxPathChars = 80;
const maxTextChars = 120;
/** Of a line of a script: the number of the others must be in sight. */
const maxLineChars = 60;
const endOfPath = 50;

/** What cannot be mistaken for words of the question stands as it is; the rest stands in quotes. */
const plainPath = /^[\p{L}\p{N}\p{M}._/@+:~-]+$/u;
const plainText = /^[\p{L}\p{N}\p{M}._/@+:=~ -]+$/u;

const quote = (text: string): string =>
  `“${text.replace(/[“”]/g, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`)}”`;

/** The second half of a character whose first half was cut off. */
const halfAtStart = /^[\udc00-\udfff]/;

const withoutMiddle = (path: string): string =>
  `${cutText(path, maxPathChars - endOfPath - 1)}…${path.slice(-endOfPath).replace(halfAtStart, '')}`;

/** A text of the call in one line: hidden characters escaped, quoted unless plain, cut at its end. */
export const textWords = (text: string): string => {
  const shown = visible(text);
  if (shown.length > maxTextChars) return `${quote(cutText(shown, maxTextChars))}…`;
  return plainText.test(shown) ? shown : quote(shown);
};

/** A command in one line; a script by the first line that says what it does and the number of the others. */
export const commandWords = (command: string): string => {
  const { line, others } = mainLine(command);
  if (others === 0) return textWords(line);
  const shown = visible(line);
  const cut = shown.length > maxLineChars ? `${cutText(shown, maxLineChars)}…` : shown;
  return `${quote(cut)} and ${counted(others, 'more line')}`;
};

/** A resolved path as it stands below the root; a long one without its middle. */
const pathWords = (root: string, path: string): string => {
  const shown = visible(relative(root, path));
  if (shown === '') return 'the shared folder';
  if (shown.length > maxPathChars) return quote(withoutMiddle(shown));
  return plainPath.test(shown) ? shown : quote(shown);
};

export const resourcePath = (root: string, resource: Resource | undefined): string =>
  pathWords(root, resource?.resource ?? root);
