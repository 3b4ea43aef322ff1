import { fstatSync, lstatSync, type Stats } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool, type RunContext, type ToolContext } from '../common/tool.ts';
import { locate, locateGranted, toResource } from '../common/access.ts';
import { mkdirp } from '../../paths/mkdirp.ts';
import { inFolder, inParent, type Folder } from '../../paths/open.ts';
import type { Place } from '../../paths/place.ts';
import { atOneMoment, isProtected, isWithin } from '../../paths/protected.ts';
import { syncFolder } from '../../private-files/private-folder.ts';
import { inspectTree } from './whole-tree.ts';

const input = z.strictObject({
  sourcePath: z.string().describe('Path of the file or folder to move, relative to the folder'),
  destinationPath: z.string().describe('Its new path, relative to the folder'),
});

/** A link is moved itself; and what stands at the destination is replaced itself. */
const read = { access: 'read', last: 'keep' } as const;
const write = { access: 'write', last: 'keep' } as const;

const mustBeMovable = (context: ToolContext, source: Place, destination: Place): void => {
  if (source.path === context.root || destination.path === context.root) throw errors.isRoot();
  if (source.kind === 'missing') throw errors.notFound();
  if (destination.kind === 'folder')
    throw errors.exists({ message: 'There is a folder at the destination already' });
  if (destination.kind === 'other') throw errors.notFile();
  if (source.kind !== 'folder') return;
  if (destination.kind !== 'missing') throw errors.exists();
  if (isWithin(destination.path, source.path))
    throw errors.badPath({ message: 'A folder cannot be moved into itself' });
};

/** Nothing protected may be inside, neither where it is nor where it would be. */
const inspect = async (
  context: RunContext,
  at: { parent: Folder; name: string },
  to: string,
): Promise<void> => {
  const from = `${at.parent.path === '/' ? '' : at.parent.path}/${at.name}`;
  const walk = { signal: context.signal, device: fstatSync(at.parent.fd).dev, closed: 'refuse' } as const;
  const now = atOneMoment(context);
  await inspectTree(walk, at, (path) => {
    if (isProtected(now, path, 'read') || isProtected(now, to + path.slice(from.length), 'write')) {
      throw errors.protectedPath({ message: 'The folder holds something that is protected' });
    }
  });
};

const isSame = (a: Stats, b: Stats) => a.ino === b.ino && a.dev === b.dev;

const moveInto = async (
  folder: Folder,
  from: { parent: Folder; name: string },
  to: { name: string; kind: Place['kind'] },
) => {
  const there = lstatSync(folder.entry(to.name), { throwIfNoEntry: false });
  if (there && to.kind === 'missing') throw errors.changed();
  // Two names of one file: the system would leave both.
  if (there && isSame(there, lstatSync(from.parent.entry(from.name)))) throw errors.exists();
  await rename(from.parent.entry(from.name), folder.entry(to.name));
  await syncFolder(folder.entry('.'));
  await syncFolder(from.parent.entry('.'));
};

export const move = defineTool({
  name: 'move',
  title: 'Move',
  description:
    'Move or rename a file or a folder. Replaces a file at the destination, never a folder; makes the folders above it.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async ({ sourcePath, destinationPath }, context) => {
    const source = locate(context, sourcePath, write);
    const destination = locate(context, destinationPath, write);
    mustBeMovable(context, source, destination);
    const tree = source.kind === 'folder';
    const replaces = destination.kind === 'missing' ? '' : ' (replaces what is there)';
    return [
      toResource({ ...read, place: source, doing: 'Read what is moved', tree }),
      toResource({ ...write, place: source, doing: 'Move from', tree }),
      toResource({ ...write, place: destination, doing: `Move to${replaces}`, tree }),
    ];
  },
  asks: ({ destinationPath }, [, from, to], context) => {
    const { kind } = locate(context, destinationPath, write);
    const replaced = kind === 'missing' ? '' : ', replacing it';
    return `Move ${resourcePath(context.root, from)} to ${resourcePath(context.root, to)}${replaced}?`;
  },
  run: async ({ sourcePath, destinationPath }, context) => {
    const source = locateGranted(context, sourcePath, write);
    const destination = locateGranted(context, destinationPath, write);
    mustBeMovable(context, source, destination);
    await inParent(source.path, async (parent, name) => {
      if (source.kind === 'folder') await inspect(context, { parent, name }, destination.path);
      const to = { name: basename(destination.path), kind: destination.kind };
      await inFolder(mkdirp(dirname(destination.path), context.root), (folder) =>
        moveInto(folder, { parent, name }, to),
      );
    });
    return jsonResult({ sourcePath, destinationPath });
  },
});
