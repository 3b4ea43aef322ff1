import { z } from 'zod';
import { count } from '../common/inputs.ts';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool, type RunContext } from '../common/tool.ts';
import { locateGranted, readResource } from '../common/access.ts';
import { pictureType, decodeText } from './text/decode-text.ts';
import { defaultLines, largeFileBytes } from './limits.ts';
import type { Place } from '../../paths/place.ts';
import { readBytes, withRegularFile } from '../../paths/read-bytes.ts';
import { cutToBytes, readRange, type LineRange, type Wanted } from './text/read-range.ts';
import { maxFileBytes } from '../../paths/limits.ts';

const input = z.strictObject({
  filePath: z.string().describe('Path of the file, relative to the folder'),
  startLine: count('First line to give, counted from 1 (default 1); text only'),
  maxLines: count('How many lines to give (default 200); text only'),
});

const withoutRange =
  'The file is too large: 512 KiB at most; with startLine or maxLines a part of a text of up to 256 MiB';

const toLines = ({ encoding, ...range }: LineRange) => ({
  ...range,
  ...(encoding !== 'utf-8' && { encoding }),
});

const linesOf = (bytes: Buffer, { startLine, maxLines }: Wanted) => {
  const { text, encoding } = decodeText(bytes);
  const lines = text.split(/(?<=\n)/);
  const totalLines = text === '' ? 0 : lines.length;
  const end = startLine - 1 + maxLines;
  const wanted = lines.slice(startLine - 1, end).join('');
  const isMore = totalLines > end;
  const asked = isMore ? wanted.replace(/\n$/, '') : wanted;
  // A text that is not UTF-8 has more bytes in the result.
  const content = cutToBytes(asked, maxFileBytes);
  return toLines({ content, truncated: isMore || content.length < asked.length, totalLines, encoding });
};

const fromLarge = (
  filePath: string,
  { wanted, place, context }: { wanted: Wanted; place: Place; context: RunContext },
) =>
  withRegularFile(place.path, context.privateFolder, async (fd, { size }) => {
    const range = await readRange(wanted, { fd, size, signal: context.signal });
    return jsonResult({ path: filePath, ...toLines(range) });
  });

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description:
    'Read a text file, 200 lines at a time by default, or a PNG, JPEG, GIF or WebP picture. 512 KiB at most; with startLine or maxLines a part of a text of up to 256 MiB.',
  group: 'filesystemRead',
  category: 'filesystem',
  effect: 'reads',
  input,
  resources: async ({ filePath }, context) => [readResource(context, filePath, { doing: 'Read file' })],
  asks: (_input, [file], { root }) => `Read ${resourcePath(root, file)}?`,
  run: async ({ filePath, startLine, maxLines }, context) => {
    const place = locateGranted(context, filePath, { access: 'read' });
    if (place.kind === 'missing') throw errors.notFound();
    // Only a first look: whatever the file has become is read within its limit.
    if (place.size >= largeFileBytes) await context.large();
    const wanted = { startLine: startLine ?? 1, maxLines: maxLines ?? defaultLines };
    const isRanged = startLine !== undefined || maxLines !== undefined;
    if (isRanged && place.size > maxFileBytes) return fromLarge(filePath, { wanted, place, context });
    if (place.size > maxFileBytes) throw errors.tooLarge({ message: withoutRange });
    const bytes = await readBytes(place.path, context.privateFolder);
    const mimeType = pictureType(bytes);
    if (mimeType) return { content: [{ type: 'image', data: bytes.toString('base64'), mimeType }] };
    return jsonResult({ path: filePath, ...linesOf(bytes, wanted) });
  },
});
