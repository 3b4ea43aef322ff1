import { visible } from '@drawbridge/kit';
import { z } from 'zod';
import { resourcePath } from '../common/question-words.ts';
import { textResult } from '../common/result.ts';
import { defineTool, type RunContext } from '../common/tool.ts';
import { locateGrantedFolder, readResource } from '../common/access.ts';
import { listEntries } from './list-entries.ts';
import { defaultDepth, maxDepth, maxTreeEntries } from './limits.ts';
import { inFolder, openFolder, openSubfolder, type Folder } from '../../paths/open.ts';
import { isExcluded } from '../../paths/limits.ts';

const input = z.strictObject({
  dirPath: z
    .string()
    .default('.')
    .describe('Path of the folder, relative to the folder ("." is the folder itself)'),
  maxDepth: z
    .number()
    .int()
    .min(0)
    .max(maxDepth)
    .optional()
    .describe('How many folders deep to go (default 2)'),
});

interface Tree {
  lines: string[];
  truncated: boolean;
}

/** Adds what lies below an open folder, one line each, indented by depth. */
const grow = async (
  context: RunContext,
  at: { folder: Folder; depth: number; left: number },
  tree: Tree,
): Promise<void> => {
  const { entries, total } = await listEntries(context, at.folder, { limit: maxTreeEntries + 1 });
  for (const entry of entries) {
    context.signal.throwIfAborted();
    if (entry.type === 'directory' && isExcluded(entry.name)) continue;
    if (tree.lines.length >= maxTreeEntries) {
      tree.truncated = true;
      return;
    }
    const indent = '  '.repeat(at.depth);
    tree.lines.push(`${indent}${visible(entry.name)}${entry.type === 'directory' ? '/' : ''}`);
    if (entry.type !== 'directory') continue;
    if (at.left === 0) tree.truncated = true;
    else await growInto(context, { ...at, name: entry.name }, tree);
  }
  if (total > entries.length) tree.truncated = true;
};

const growInto = async (
  context: RunContext,
  at: { folder: Folder; name: string; depth: number; left: number },
  tree: Tree,
): Promise<void> => {
  let inner: Folder;
  try {
    inner = openSubfolder(at.folder, at.name);
  } catch {
    // Gone, a link by now, or not ours to open: its name stands, and nothing below.
    return;
  }
  await inFolder(inner, (folder) => grow(context, { folder, depth: at.depth + 1, left: at.left - 1 }, tree));
};

export const getFileTree = defineTool({
  name: 'get_file_tree',
  title: 'File tree',
  description:
    'Show the folders and files below a folder as an indented tree, without folders that are built or installed.',
  group: 'filesystemRead',
  category: 'filesystem',
  effect: 'reads',
  input,
  resources: async ({ dirPath }, context) => [
    readResource(context, dirPath, { doing: 'List folder tree', tree: true }),
  ],
  asks: (_input, [folder], { root }) => `List ${resourcePath(root, folder)} and what is below?`,
  run: async ({ dirPath, maxDepth: left = defaultDepth }, context) => {
    const place = locateGrantedFolder(context, dirPath);
    const tree: Tree = { lines: [`${visible(place.path)}/`], truncated: false };
    await inFolder(openFolder(place.path), (folder) => grow(context, { folder, depth: 1, left }, tree));
    const more = tree.truncated ? ['', '(There is more: raise maxDepth or look into a folder of it.)'] : [];
    return textResult([...tree.lines, ...more].join('\n'));
  },
});
