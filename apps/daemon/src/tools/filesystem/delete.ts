import { fstatSync, lstatSync, unlinkSync } from 'node:fs';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { counted } from '../../text/words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool, type ToolContext } from '../common/tool.ts';
import { locate, locateGranted, toResource } from '../common/access.ts';
import { inParent } from '../../paths/open.ts';
import { notUtf8, type Place } from '../../paths/place.ts';
import { atOneMoment, isProtected } from '../../paths/protected.ts';
import { syncFolder } from '../../private-files/private-folder.ts';
import { deletedFiles } from './preview/tree-preview.ts';
import { countFiles, deleteTree, inspectTree } from './whole-tree.ts';

const input = z.strictObject({
  path: z.string().describe('Path of the file or folder, relative to the folder'),
});

/** A link is deleted itself, not what it points at. */
const wanted = { access: 'write', last: 'keep' } as const;

const mustBeDeletable = (context: ToolContext, place: Place): void => {
  if (place.path === context.root) throw errors.isRoot();
  if (place.kind === 'missing') throw errors.notFound();
};

/** More files than these are not counted for a question. */
const maxCounted = 1_000;

/** How much a folder holds, in words; nothing where it cannot be looked through. */
const filesIn = async (context: ToolContext, path: string): Promise<string> => {
  try {
    const place = locate(context, path, wanted);
    const files = await inParent(place.path, (parent, name) =>
      countFiles({ signal: context.signal, device: fstatSync(parent.fd).dev }, { parent, name }, maxCounted),
    );
    if (files > maxCounted) return `more than ${maxCounted.toLocaleString('en')} files`;
    return files === 0 ? 'no files' : counted(files, 'file');
  } catch {
    context.signal.throwIfAborted();
    return 'and all in it';
  }
};

export const deletePath = defineTool({
  name: 'delete',
  title: 'Delete',
  description: 'Delete a file, a link, or a folder with all that it holds.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async ({ path }, context) => {
    const place = locate(context, path, wanted);
    mustBeDeletable(context, place);
    const tree = place.kind === 'folder';
    return [toResource({ ...wanted, place, doing: tree ? 'Delete folder and all in it' : 'Delete', tree })];
  },
  asks: async ({ path }, [resource], context) => {
    const { kind } = locate(context, path, wanted);
    const name = resourcePath(context.root, resource);
    if (kind === 'link') return `Delete the link ${name}?`;
    return kind === 'folder'
      ? `Delete the folder ${name} (${await filesIn(context, path)})?`
      : `Delete ${name}?`;
  },
  preview: async ({ path }, context) => {
    const place = locate(context, path, wanted);
    return place.kind === 'folder' ? deletedFiles(context, place) : undefined;
  },
  run: async ({ path }, context) => {
    const place = locateGranted(context, path, wanted);
    mustBeDeletable(context, place);
    await inParent(place.path, async (parent, name) => {
      const walk = { signal: context.signal, device: fstatSync(parent.fd).dev };
      if (place.kind === 'folder') {
        const now = atOneMoment(context);
        await inspectTree({ ...walk, closed: 'lend' }, { parent, name }, (inner) => {
          if (inner.includes('\ufffd') && lstatSync(inner, { throwIfNoEntry: false }) === undefined)
            throw errors.badPath({ message: `The folder holds a file that cannot be deleted. ${notUtf8}` });
          if (isProtected(now, inner, 'read'))
            throw errors.protectedPath({ message: 'The folder holds something that is protected' });
        });
        await deleteTree(walk, { parent, name });
      } else unlinkSync(parent.entry(name));
      await syncFolder(parent.entry('.'));
    });
    return jsonResult({ path });
  },
});
