import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { jsonResult } from '../result.ts';
import { defineTool, type RunContext } from '../tool.ts';
import { locate, locateGranted, showsIn, toResource } from './access.ts';
import { toText } from './content.ts';
import { defaultMatches, maxMatches } from './limits.ts';
import { createPlainFiles } from './plain-files.ts';
import { readBytes } from './read-bytes.ts';
import { ripgrep, type Found } from './ripgrep.ts';

const maxLineLength = 200;

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
  ignoreCase: z
    .boolean()
    .optional()
    .describe('Whether letter case of the query counts for nothing (default: it counts)'),
  maxResults: z
    .number()
    .int()
    .min(1)
    .max(maxMatches)
    .optional()
    .describe('How many matches to give (default 50)'),
});

interface Match {
  path: string;
  lineNumber?: number;
  line?: string;
}

/** Whether a path from the root may be named. Most paths share their folder with others. */
const createShows = (context: RunContext): ((path: string) => boolean) => {
  const folders = new Map<string, (name: string) => boolean>();
  return (path) => {
    const folder = dirname(path);
    const known = folders.get(folder);
    const shows = known ?? showsIn(context, join(context.root, folder));
    if (known === undefined) folders.set(folder, shows);
    return shows(basename(path));
  };
};

/** Ripgrep only says where to look: what is shown is read here, from a file that was opened safely. */
const linesIn = async (
  context: RunContext,
  path: string,
  has: (line: string) => boolean,
): Promise<Match[]> => {
  context.signal.throwIfAborted();
  try {
    const text = toText(await readBytes(join(context.root, path), context.privateFolder));
    return text
      .split('\n')
      .flatMap((line, at) =>
        has(line) ? [{ path, lineNumber: at + 1, line: line.slice(0, maxLineLength) }] : [],
      );
  } catch {
    return [];
  }
};

const lineTest = (query: string, ignoreCase: boolean): ((line: string) => boolean) => {
  if (!ignoreCase) return (line) => line.includes(query);
  const lower = query.toLowerCase();
  return (line) => line.toLowerCase().includes(lower);
};

/** Ripgrep's word for a name is not enough either: it must stand there, as a file, reached without a link. */
const plainFiles = (root: string, found: Found[], limit: number): Match[] => {
  const files = createPlainFiles(root);
  try {
    const matches: Match[] = [];
    for (const { path } of found) {
      if (matches.length >= limit) break;
      if (files.has(path)) matches.push({ path });
    }
    return matches;
  } finally {
    files.close();
  }
};

const collect = async (
  found: Found[],
  limit: number,
  read: (path: string) => Promise<Match[]>,
): Promise<Match[]> => {
  const matches: Match[] = [];
  for (const { path } of found) {
    if (matches.length >= limit) break;
    matches.push(...(await read(path)));
  }
  return matches.slice(0, limit);
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
    return [
      toResource({
        access: 'read',
        place: locate(context, '.', { access: 'read' }),
        doing: 'Search folder',
        tree: true,
      }),
    ];
  },
  run: async ({ name, query, ignoreCase = false, maxResults = defaultMatches }, context) => {
    locateGranted(context, '.', { access: 'read' });
    const { root, clock, signal } = context;
    const text = query ? { query, ignoreCase } : undefined;
    const { found, complete } = await ripgrep({ root, glob: name, clock, signal, ...(text && { text }) });
    const shows = createShows(context);
    const shown = found.filter(({ path }) => shows(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
    const has = text && lineTest(text.query, text.ignoreCase);
    const matches = has
      ? await collect(shown, maxResults, (path) => linesIn(context, path, has))
      : plainFiles(root, shown, maxResults);
    const totalMatches = Math.max(
      matches.length,
      shown.reduce((sum, one) => sum + one.lines, 0),
    );
    return jsonResult({
      name,
      ...(text ? { query } : {}),
      matches,
      truncated: !complete || totalMatches > matches.length,
      totalMatches,
    });
  },
});
