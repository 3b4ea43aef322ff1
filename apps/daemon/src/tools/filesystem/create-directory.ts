import { closeSync } from 'node:fs';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool } from '../common/tool.ts';
import { locate, locateGranted, toResource } from '../common/access.ts';
import { mkdirp } from '../../paths/mkdirp.ts';

const input = z.strictObject({
  dirPath: z.string().describe('Path of the folder to make, relative to the folder'),
});

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create folder',
  description: 'Make a folder, and those above it. Does nothing when it is there already.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'adds',
  input,
  resources: async ({ dirPath }, context) => {
    const place = locate(context, dirPath, { access: 'write' });
    if (place.kind !== 'missing' && place.kind !== 'folder') throw errors.exists();
    return [toResource({ access: 'write', place, doing: 'Create folder' })];
  },
  asks: (_input, [folder], { root }) => `Create the folder ${resourcePath(root, folder)}?`,
  run: async ({ dirPath }, context) => {
    const place = locateGranted(context, dirPath, { access: 'write' });
    closeSync(mkdirp(place.path, context.root).fd);
    return jsonResult({ path: dirPath });
  },
});
