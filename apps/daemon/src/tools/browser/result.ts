import { stripVTControlCharacters } from 'node:util';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { cutText } from '@drawbridge/kit';
import type { Answer } from './connection.ts';
import { maxPictureChars, maxResultChars } from './limits.ts';

const cut = (text: string): string =>
  text.length <= maxResultChars
    ? text
    : `${cutText(text, maxResultChars)}\n… ${text.length - cutText(text, maxResultChars).length} more characters were left out`;

/** For what has no text, such as opening the page that is open. */
const done = 'Done. browser_snapshot shows the page.';

/** A text that a page had a hand in never begins as the daemon's own words do. */
const asPageText = (text: string): string =>
  text.startsWith('###') ? text : `### Result\n${text === '' ? done : text}`;

/** The tools' answer within the limits, with warnings: before an error, as its reason, else after it. */
export const toResult = ({ content, isError }: Answer, notes: readonly string[]): ToolResult => {
  const blocks = content.map((block): ToolResult['content'][number] => {
    if (block.type === 'text')
      return {
        type: 'text',
        text: cut(asPageText(isError ? stripVTControlCharacters(block.text) : block.text)),
      };
    if (block.data.length <= maxPictureChars) return block;
    return { type: 'text', text: 'The picture is too large; take one of the visible part' };
  });
  const beside = notes.length > 0 ? [{ type: 'text' as const, text: notes.join('\n') }] : [];
  return {
    content: isError ? [...beside, ...blocks] : [...blocks, ...beside],
    ...(isError && { isError }),
  };
};
