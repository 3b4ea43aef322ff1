import { hasCode } from '@drawbridge/kit';
import { errors } from '../../common/errors.ts';
import { createDecoder, encodingOf, pictureType, type Encoding } from './decode-text.ts';
import { maxRangedBytes } from '../limits.ts';
import { chunksOf } from '../../../paths/read-bytes.ts';
import { maxFileBytes } from '../../../paths/limits.ts';

/** Lines of a text, and how many it has in all. `truncated`: there is more after them. */
export interface LineRange {
  content: string;
  truncated: boolean;
  totalLines: number;
  encoding: Encoding;
}

export interface Wanted {
  startLine: number;
  maxLines: number;
}

/** The longest beginning of a text that has at most so many bytes in UTF-8, without half a character. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
};

/** Takes the text piece by piece and keeps the wanted lines, as far as they have room in a result. */
const createCollector = ({ startLine, maxLines }: Wanted) => {
  const end = startLine + maxLines;
  let line = 1;
  let content = '';
  let left = maxFileBytes;
  let isCut = false;
  /** Whether a next line has begun: a break at the end of the text begins none. */
  let hasText = false;

  const keep = (text: string) => {
    if (isCut || text === '') return;
    const part = cutToBytes(text, left);
    isCut = part.length < text.length;
    left -= Buffer.byteLength(part);
    content += part;
  };

  return {
    take: (text: string): void => {
      let from = 0;
      for (;;) {
        const at = text.indexOf('\n', from);
        const isWanted = line >= startLine && line < end;
        if (isWanted) keep(text.slice(from, at === -1 ? undefined : at));
        if (at !== -1 || from < text.length) hasText = at === -1;
        if (at === -1) return;
        line += 1;
        if (isWanted && line < end) keep('\n');
        from = at + 1;
      }
    },
    range: () => {
      const totalLines = hasText ? line : line - 1;
      const isMore = totalLines >= end;
      if (!hasText && !isMore && line === end) keep('\n');
      return { content, truncated: isCut || isMore, totalLines };
    },
  };
};

const readAs = async (
  encoding: Encoding,
  wanted: Wanted,
  file: { fd: number; size: number; signal: AbortSignal },
): Promise<LineRange> => {
  const { decode } = createDecoder(encoding);
  const collector = createCollector(wanted);
  for await (const chunk of chunksOf(file.fd, file.size, file.signal)) collector.take(decode(chunk));
  collector.take(decode());
  return { ...collector.range(), encoding };
};

/** Some lines of a large open text file, read in chunks, at most 512 KiB. Throws `tooLarge`, `binary`. */
export const readRange = async (
  wanted: Wanted,
  file: { fd: number; size: number; signal: AbortSignal },
): Promise<LineRange> => {
  if (file.size > maxRangedBytes)
    throw errors.tooLarge({ message: 'The file is too large: 256 MiB at most' });
  for await (const first of chunksOf(file.fd, Math.min(file.size, 64 * 1024), file.signal)) {
    if (pictureType(first) !== undefined) throw errors.tooLarge();
    const encoding = encodingOf(first);
    if (encoding !== 'utf-8') return readAs(encoding, wanted, file);
  }
  try {
    return await readAs('utf-8', wanted, file);
  } catch (error) {
    file.signal.throwIfAborted();
    if (!hasCode(error, 'BINARY')) throw error;
    return readAs('windows-1252', wanted, file);
  }
};
