import { closeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { jsonResult } from '../result.ts';
import { defineTool } from '../tool.ts';
import { locate, locateGranted, toResource } from './access.ts';
import { currentText, difference } from './difference.ts';
import { openMadeFolder } from './folders.ts';
import { maxFileBytes } from './limits.ts';
import { replaceFile } from './replace.ts';

const input = z.strictObject({
  filePath: z.string().describe('Path of the file, relative to the folder'),
  content: z.string().describe('The whole new content'),
});

export const writeFile = defineTool({
  name: 'write_file',
  title: 'Write file',
  description:
    'Write a text file, 512 KiB at most. Replaces the file when there is one, and makes the folders above it.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async ({ filePath, content }, context) => {
    if (Buffer.byteLength(content) > maxFileBytes) throw errors.tooLarge();
    const place = locate(context, filePath, { access: 'write' });
    if (place.kind === 'folder' || place.kind === 'other') throw errors.notFile();
    return [
      toResource({
        access: 'write',
        place,
        doing: place.kind === 'file' ? 'Replace file' : 'Write new file',
      }),
    ];
  },
  preview: async ({ filePath, content }, context) => {
    const place = locate(context, filePath, { access: 'write' });
    const before = (await currentText(context, place)) ?? '';
    return difference(context, place, { before, after: content });
  },
  run: async ({ filePath, content }, context) => {
    const place = locateGranted(context, filePath, { access: 'write' });
    const folder = openMadeFolder(dirname(place.path), context.root);
    try {
      await replaceFile(folder, basename(place.path), { requestId: context.requestId, data: content });
    } finally {
      closeSync(folder.fd);
    }
    return jsonResult({ path: filePath });
  },
});
