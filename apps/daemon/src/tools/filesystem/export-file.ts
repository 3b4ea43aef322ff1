import { pathToFileURL } from 'node:url';
import { exportedFileBytes } from '@drawbridge/contracts/tool-result';
import { mediaTypeOf } from '@drawbridge/kit';
import { z } from 'zod';
import { readBytes } from '../../paths/read-bytes.ts';
import { locateGranted, readResource } from '../common/access.ts';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { defineTool } from '../common/tool.ts';
import { largeFileBytes } from './limits.ts';

const tooLarge = () => errors.tooLarge({ message: 'The file is too large: 8 MiB at most' });

export const exportFile = defineTool({
  name: 'export_file',
  title: 'Export file',
  description: 'Give a whole file as it is, also a binary one, as an embedded resource. 8 MiB at most.',
  group: 'filesystemRead',
  category: 'filesystem',
  effect: 'reads',
  input: z.strictObject({ filePath: z.string().describe('Path of the file, relative to the folder') }),
  resources: async ({ filePath }, context) => [readResource(context, filePath, { doing: 'Export file' })],
  asks: (_input, [file], { root }) => `Give out the whole file ${resourcePath(root, file)}?`,
  run: async ({ filePath }, context) => {
    const place = locateGranted(context, filePath, { access: 'read' });
    if (place.kind === 'missing') throw errors.notFound();
    if (place.size > exportedFileBytes) throw tooLarge();
    if (place.size >= largeFileBytes) await context.large();
    const bytes = await readBytes(place.path, context.privateFolder, exportedFileBytes);
    const resource = {
      uri: pathToFileURL(place.path).href,
      mimeType: mediaTypeOf(bytes),
      blob: bytes.toString('base64'),
    };
    return { content: [{ type: 'resource', resource }] };
  },
});
