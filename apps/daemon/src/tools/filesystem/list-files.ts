import { relative, sep } from 'node:path';
import { z } from 'zod';
import { count } from '../common/inputs.ts';
import { resourcePath } from '../common/question-words.ts';
import { defineTool } from '../common/tool.ts';
import { locateGrantedFolder, readResource } from '../common/access.ts';
import { listEntries, sizesIn } from './list-entries.ts';
import { defaultEntries, maxEntries } from './limits.ts';
import { inFolder, openFolder } from '../../paths/open.ts';

const input = z.strictObject({
  dirPath: z
    .string()
    .default('.')
    .describe('Path of the folder to list, relative to the folder ("." is the folder itself)'),
  type: z.enum(['file', 'directory', 'all']).optional().describe('What to list (default: all)'),
  maxResults: count('How many entries to give (default 200)', maxEntries),
});

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description: 'List what a folder holds: files, folders and links, not what lies below.',
  group: 'filesystemRead',
  category: 'filesystem',
  effect: 'reads',
  input,
  resources: async ({ dirPath }, context) => [readResource(context, dirPath, { doing: 'List folder' })],
  asks: (_input, [folder], { root }) => `List ${resourcePath(root, folder)}?`,
  run: async ({ dirPath, type = 'all', maxResults = defaultEntries }, context) => {
    const place = locateGrantedFolder(context, dirPath);
    return inFolder(openFolder(place.path), async (folder) => {
      const { entries: shown, total } = await listEntries(context, folder, {
        limit: maxResults,
        type: type === 'all' ? undefined : type,
      });
      const above = relative(context.root, place.path);
      const prefix = above === '' ? '' : above + sep;
      const sizes = sizesIn(folder, shown);
      const entries = shown.map(({ name, type }, at) => ({
        path: prefix + name,
        type,
        ...(type === 'file' ? { sizeBytes: sizes[at] } : {}),
      }));
      return {
        content: [{ type: 'text', text: JSON.stringify(entries) }],
        structuredContent: { entries, truncated: total > entries.length },
      };
    });
  },
});
