import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool } from '../common/tool.ts';
import { locate, locateGranted, toResource } from '../common/access.ts';
import { chunksOf, withRegularFile } from '../../paths/read-bytes.ts';
import { putFile } from '../../paths/replace-file.ts';

const maxCopyBytes = 1024 ** 3;

const input = z.strictObject({
  sourcePath: z.string().describe('Path of the file to copy, relative to the folder'),
  destinationPath: z.string().describe('Path of the copy, relative to the folder'),
});

export const copyFile = defineTool({
  name: 'copy_file',
  title: 'Copy file',
  description:
    'Copy one file, 1 GiB at most. Replaces a file at the destination; makes the folders above it.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async ({ sourcePath, destinationPath }, context) => {
    const source = locate(context, sourcePath, { access: 'read' });
    const destination = locate(context, destinationPath, { access: 'write' });
    if (source.kind === 'missing') throw errors.notFound();
    if (source.kind !== 'file' || destination.kind === 'folder' || destination.kind === 'other')
      throw errors.notFile();
    const replaces = destination.kind === 'missing' ? '' : ' (replaces what is there)';
    return [
      toResource({ access: 'read', place: source, doing: 'Copy from' }),
      toResource({ access: 'write', place: destination, doing: `Copy to${replaces}` }),
    ];
  },
  asks: ({ destinationPath }, [from, to], context) => {
    const { kind } = locate(context, destinationPath, { access: 'write' });
    const replaced = kind === 'missing' ? '' : ', replacing it';
    return `Copy ${resourcePath(context.root, from)} to ${resourcePath(context.root, to)}${replaced}?`;
  },
  run: async ({ sourcePath, destinationPath }, context) => {
    const source = locateGranted(context, sourcePath, { access: 'read' });
    const destination = locateGranted(context, destinationPath, { access: 'write' });
    await withRegularFile(source.path, context.privateFolder, async (fd, stats) => {
      if (stats.size > maxCopyBytes)
        throw errors.tooLarge({ message: 'The file is too large: 1 GiB at most' });
      const { tag, root, signal } = context;
      const data = chunksOf(fd, stats.size, signal);
      await putFile(destination.path, root, { tag, data, mode: stats.mode & 0o777 });
    });
    return jsonResult({ sourcePath, destinationPath });
  },
});
