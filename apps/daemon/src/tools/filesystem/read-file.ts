import { z } from 'zod';
import { errors } from '../errors.ts';
import { jsonResult } from '../result.ts';
import { defineTool } from '../tool.ts';
import { locate, locateGranted, toResource } from './access.ts';
import { pictureType, toText } from './content.ts';
import { defaultLines, largeFileBytes } from './limits.ts';
import { readBytes } from './read-bytes.ts';

const input = z.strictObject({
  filePath: z.string().describe('Path of the file, relative to the folder'),
  startLine: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('First line to give, counted from 1 (default 1); text only'),
  maxLines: z.number().int().min(1).optional().describe('How many lines to give (default 200); text only'),
});

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description:
    'Read a text file, 200 lines at a time unless told otherwise, or a PNG, JPEG, GIF or WebP picture. 512 KiB at most.',
  group: 'filesystemRead',
  category: 'filesystem',
  effect: 'reads',
  input,
  resources: async ({ filePath }, context) => [
    toResource({ access: 'read', place: locate(context, filePath, { access: 'read' }), doing: 'Read file' }),
  ],
  run: async ({ filePath, startLine = 1, maxLines = defaultLines }, context) => {
    const place = locateGranted(context, filePath, { access: 'read' });
    if (place.kind === 'missing') throw errors.notFound();
    // Only a first look: whatever the file has become is read within its limit.
    if (place.size >= largeFileBytes) await context.large();
    const bytes = await readBytes(place.path, context.privateFolder);
    const mimeType = pictureType(bytes);
    if (mimeType) return { content: [{ type: 'image', data: bytes.toString('base64'), mimeType }] };
    const text = toText(bytes);
    const lines = text.split('\n');
    const end = startLine - 1 + maxLines;
    const isWhole = startLine === 1 && lines.length <= end;
    return jsonResult({
      path: filePath,
      content: isWhole ? text : lines.slice(startLine - 1, end).join('\n'),
      truncated: lines.length > end,
      totalLines: lines.length,
    });
  },
});
