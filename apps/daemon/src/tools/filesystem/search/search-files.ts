import { join } from 'node:path';
import { z } from 'zod';
import { count, flag } from '../../common/inputs.ts';
import { errors } from '../../common/errors.ts';
import { whySensitive } from '../../../permission/index.ts';
import { resourcePath, textWords } from '../../common/question-words.ts';
import { jsonResult } from '../../common/result.ts';
import { defineTool } from '../../common/tool.ts';
import { locateGranted, readResource } from '../../common/access.ts';
import { defaultMatches, maxMatches } from '../limits.ts';
import { ripgrep } from './ripgrep.ts';
import { confirmed, linesOf } from './search-hits.ts';
import { walk } from './walk.ts';

const input = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(1_000)
    .describe(
      'Glob for the path of the files, from the folder: "**/*.ts" at any depth, "README.md" at the top only',
    ),
  query: z
    .string()
    .max(10_000)
    .optional()
    .describe('Literal text to look for on the lines of these files; without it, files are listed'),
  ignoreCase: flag('Whether letter case of the query counts for nothing (default: it counts)'),
  maxResults: count('How many matches to give (default 50)', maxMatches),
});

/** Files that always ask get their own question: a search names them and shows none of their content. */
const isGuarded = (root: string, path: string): boolean =>
  whySensitive(root, { toolGroup: 'filesystemRead', resource: join(root, path) }) !== undefined;

const lineTest = (query: string, ignoreCase: boolean): ((line: string) => boolean) => {
  if (!ignoreCase) return (line) => line.includes(query);
  const lower = query.toLowerCase();
  return (line) => line.toLowerCase().includes(lower);
};

export const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search files',
  description:
    'Find files by name (a glob), and, with a query, the lines in them that hold a literal text. Folders that are built or installed are left out.',
  group: 'filesystemRead',
  category: 'filesystem',
  effect: 'reads',
  input,
  resources: async ({ name, query }, context) => {
    if (name.startsWith('/') || name.split('/').includes('..'))
      throw errors.outside({ message: 'The glob leads outside the folder' });
    if (query !== undefined && /[\n\r\0]/.test(query))
      throw errors.badArguments({ message: 'query: must be one line of text' });
    return [readResource(context, '.', { doing: 'Search folder', tree: true })];
  },
  asks: ({ name, query }, [folder], { root }) =>
    `Search ${resourcePath(root, folder)} for ${query === undefined ? `files named ${textWords(name)}` : textWords(query)}?`,
  run: async ({ name, query, ignoreCase = false, maxResults = defaultMatches }, context) => {
    locateGranted(context, '.', { access: 'read' });
    const { root, clock, signal } = context;
    const text = query ? { query, ignoreCase } : undefined;
    const candidates =
      (text ? undefined : await walk(root, name, signal)) ??
      (await ripgrep({ root, glob: name, clock, signal, ...(text && { text }) }));
    const open = text ? candidates.paths.filter((path) => !isGuarded(root, path)) : candidates.paths;
    const files = await confirmed(context, open);
    const { hits, total, complete } = text
      ? await linesOf(context, files, { has: lineTest(text.query, text.ignoreCase), limit: maxResults })
      : { hits: files.slice(0, maxResults).map((path) => ({ path })), total: files.length, complete: true };
    return jsonResult({
      name,
      ...(text ? { query } : {}),
      matches: hits,
      truncated: !candidates.complete || !complete || total > hits.length,
      totalMatches: total,
    });
  },
});
