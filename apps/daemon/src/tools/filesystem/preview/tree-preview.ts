import { fstatSync, lstatSync } from 'node:fs';
import { relative } from 'node:path';
import type { HunkLine, Preview } from '@drawbridge/contracts/preview';
import type { ToolContext } from '../../common/tool.ts';
import { maxPathBytes } from '../../../paths/limits.ts';
import { inParent } from '../../../paths/open.ts';
import type { Place } from '../../../paths/place.ts';
import { inspectTree } from '../whole-tree.ts';

const maxListed = 100;
/** A larger folder is not listed: its question says that it is. */
const maxFiles = 1_000;
const tooMany = new Error('too many files');

const sizeOf = (path: string): string =>
  `${(lstatSync(path, { throwIfNoEntry: false })?.size ?? 0).toLocaleString('en')} bytes`;

/** The files of a folder that would be deleted, as lines that go; undefined where it cannot be listed. */
export const deletedFiles = async (context: ToolContext, place: Place): Promise<Preview | undefined> => {
  const { signal, reading, root } = context;
  const listed: string[] = [];
  let count = 0;
  try {
    await inParent(place.path, (parent, name) =>
      inspectTree(
        { signal, device: fstatSync(parent.fd).dev, closed: 'refuse' },
        { parent, name },
        (path, kind) => {
          if (kind === 'folder') return;
          count += 1;
          if (count > maxFiles) throw tooMany;
          if (listed.length < maxListed && !reading.isDenied(path))
            listed.push(`${relative(place.path, path)}  ${sizeOf(path)}`);
        },
      ),
    );
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  if (count === 0) return undefined;
  const lines: HunkLine[] = listed.toSorted().map((text) => ({ kind: 'removed', text }));
  const left = count - listed.length;
  if (left > 0) lines.push({ kind: 'omitted', of: 'removed', lines: left, bytes: 0 });
  const path = relative(root, place.path).slice(0, maxPathBytes);
  return { kind: 'diff', path, hunks: [{ lines }], added: 0, removed: count };
};
