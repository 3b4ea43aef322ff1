import { maxSubjectLength, subjectArgument } from '@drawbridge/contracts/subject';
import { cutText, hostOf, visible } from '@drawbridge/kit';

/** Longer ones are cut before hidden characters are written out. */
const longestRead = 4 * maxSubjectLength;

const firstLine = (text: string): string => {
  const [line = ''] = text.trimStart().split(/[\n\r\u2028\u2029]/, 1);
  return line === text ? line : `${line} …`;
};

/** What a call touches, in one line of at most 200 characters with hidden characters written out. */
export const subjectOf = (args: Record<string, unknown>): string => {
  const found = subjectArgument(args);
  if (!found) return '';
  const host = found.kind === 'address' ? hostOf(found.text) : null;
  const text = host ? [host.name, host.port].filter(Boolean).join(':') : found.text;
  const shown = visible(cutText(firstLine(text), longestRead)).trim();
  return shown.length <= maxSubjectLength ? shown : `${cutText(shown, maxSubjectLength - 1)}…`;
};
