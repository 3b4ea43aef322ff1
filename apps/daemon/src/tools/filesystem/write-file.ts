import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool } from '../common/tool.ts';
import { locate, locateGranted, toResource } from '../common/access.ts';
import { binaryWords, isUnchanged, writePreview } from './preview/file-preview.ts';
import { putFile } from '../../paths/replace-file.ts';
import { maxFileBytes } from '../../paths/limits.ts';

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
    if (place.kind === 'folder') throw errors.isFolder();
    if (place.kind === 'other') throw errors.notFile();
    if (await isUnchanged(context, place, content))
      return [toResource({ access: 'read', place, doing: 'Read file' })];
    return [
      toResource({
        access: 'write',
        place,
        doing: place.kind === 'file' ? 'Replace file' : 'Write new file',
      }),
    ];
  },
  asks: async ({ filePath }, [file], context) => {
    const place = locate(context, filePath, { access: 'write' });
    const name = resourcePath(context.root, file);
    return place.kind === 'file' ? `Replace ${name}${await binaryWords(context, place)}?` : `Create ${name}?`;
  },
  preview: async ({ filePath, content }, context) => {
    const place = locate(context, filePath, { access: 'write' });
    return writePreview(context, place, content);
  },
  run: async ({ filePath, content }, context) => {
    if (await isUnchanged(context, locate(context, filePath, { access: 'write' }), content))
      return jsonResult({ path: filePath, unchanged: true });
    const place = locateGranted(context, filePath, { access: 'write' });
    await putFile(place.path, context.root, { tag: context.tag, data: content });
    return jsonResult({ path: filePath });
  },
});
