import { basename, dirname, join } from 'node:path';
import { cutText, nextMacrotask } from '@drawbridge/kit';
import type { RunContext } from '../../common/tool.ts';
import { showsIn } from '../../common/access.ts';
import { decodeText } from '../text/decode-text.ts';
import { maxSearchedFiles } from '../limits.ts';
import { plainFilesIn } from '../../../paths/plain-files.ts';
import { readBytes } from '../../../paths/read-bytes.ts';

const maxLineLength = 200;
/** Other calls get their turn after so many files. */
const filesPerTurn = 32;

export interface Hit {
  path: string;
  lineNumber?: number;
  line?: string;
}

const byFolder = (paths: readonly string[]): Map<string, string[]> => {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = dirname(path);
    const known = folders.get(folder);
    if (known) known.push(path);
    else folders.set(folder, [path]);
  }
  return folders;
};

/**
 * Of ripgrep's paths, those that may be shown and are files without a link, in order.
 * Ripgrep follows links that appear meanwhile, so neither its names nor its counts are passed on.
 */
export const confirmed = async (context: RunContext, paths: readonly string[]): Promise<string[]> => {
  const files: string[] = [];
  for (const [folder, inside] of byFolder(paths)) {
    context.signal.throwIfAborted();
    const shows = showsIn(context, join(context.root, folder));
    const shown = inside.filter((path) => shows(basename(path)));
    if (shown.length === 0) continue;
    const there = plainFilesIn(context.root, folder);
    for (const path of shown) if (there.has(basename(path))) files.push(path);
    await nextMacrotask();
  }
  return files.sort();
};

const linesIn = async (context: RunContext, path: string, has: (line: string) => boolean): Promise<Hit[]> => {
  try {
    const text = decodeText(await readBytes(join(context.root, path), context.privateFolder)).text;
    return text
      .split('\n')
      .flatMap((line, at) =>
        has(line) ? [{ path, lineNumber: at + 1, line: cutText(line, maxLineLength) }] : [],
      );
  } catch {
    return [];
  }
};

/** Matching lines, read from safely opened files. `complete` is false where there were too many files. */
export const linesOf = async (
  context: RunContext,
  files: readonly string[],
  { has, limit }: { has: (line: string) => boolean; limit: number },
): Promise<{ hits: Hit[]; total: number; complete: boolean }> => {
  const hits: Hit[] = [];
  let total = 0;
  for (const [at, path] of files.slice(0, maxSearchedFiles).entries()) {
    if (at % filesPerTurn === 0) await nextMacrotask();
    context.signal.throwIfAborted();
    const hitsInFile = await linesIn(context, path, has);
    total += hitsInFile.length;
    hits.push(...hitsInFile.slice(0, limit - hits.length));
  }
  return { hits, total, complete: files.length <= maxSearchedFiles };
};
