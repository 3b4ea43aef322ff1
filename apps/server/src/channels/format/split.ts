import { cutText } from '@drawbridge/kit';

const fenceOf = (line: string): string | null => /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;

/** The largest start of a line that fits, up to a blank where there is one in its second half. */
const cutLine = (line: string, length: number): string => {
  const start = cutText(line, length);
  const blank = start.lastIndexOf(' ');
  return blank > length / 2 ? start.slice(0, blank + 1) : start;
};

/** A block of code that is open at a line: how it began, and what closes it. */
interface OpenCode {
  opening: string;
  fence: string;
}

/** A longer beginning opens no code: it would stand in each part, and leave no room there. */
const openingLength = (length: number) => length / 4;

const codeAfter = (open: OpenCode | null, line: string, length: number): OpenCode | null => {
  const fence = line.length > openingLength(length) ? null : fenceOf(line);
  if (fence === null) return open;
  if (open === null) return { opening: line, fence };
  return fence.startsWith(open.fence) && line.trim() === fence ? null : open;
};

/**
 * Markdown in parts of at most `length` UTF-16 units, broken between paragraphs, else lines, else words. A
 * block of code that is broken is closed and opened again.
 */
export const splitMarkdown = (text: string, length: number): string[] => {
  const parts: string[] = [];
  let part = '';
  /** Where the last paragraph of the part ends; 0 without one. */
  let paragraphEnd = 0;
  let code: OpenCode | null = null;

  const push = (whole: string) => {
    if (whole.trim() !== '') parts.push(whole.replace(/\n+$/, ''));
  };
  const closing = () => (code === null ? '' : `\n${code.fence}`);
  const breakPart = () => {
    const isAtParagraph = code === null && paragraphEnd > length / 2;
    const at = isAtParagraph ? paragraphEnd : part.length;
    push(part.slice(0, at).replace(/\n$/, '') + closing());
    part = (code === null ? '' : `${code.opening}\n`) + part.slice(at);
    paragraphEnd = 0;
  };
  /** Behind a line in a block of code, or one that opens it, what closes the block has to fit as well. */
  const roomFor = (line: string) => {
    const after = codeAfter(code, line, length);
    return length - part.length - (after === null ? 0 : after.fence.length + 1);
  };
  const isFresh = () => part.length <= (code === null ? 0 : code.opening.length + 1);

  for (const line of text.split('\n')) {
    let rest = line;
    while (rest.length + 1 > roomFor(line)) {
      if (!isFresh()) breakPart();
      else {
        const start = cutLine(rest, Math.max(roomFor(line) - 1, 2));
        part += start;
        rest = rest.slice(start.length);
        breakPart();
      }
    }
    code = codeAfter(code, line, length);
    part += `${rest}\n`;
    if (line.trim() === '' && code === null) paragraphEnd = part.length;
  }
  push(part);
  return parts;
};
