import { fstatSync, unlinkSync } from 'node:fs';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { jsonResult } from '../result.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { locate, locateGranted, toResource } from './access.ts';
import { inParent } from './open.ts';
import type { Place } from './place.ts';
import { isProtected } from './protected.ts';
import { syncFolder } from './replace.ts';
import { deleteTree, inspectTree } from './whole-tree.ts';

const input = z.strictObject({
  path: z.string().describe('Path of the file or folder, relative to the folder'),
});

/** A link is deleted itself, not what it points at. */
const wanted = { access: 'write', last: 'keep' } as const;

const mustBeDeletable = (context: ToolContext, place: Place): void => {
  if (place.path === context.root) throw errors.isRoot();
  if (place.kind === 'missing') throw errors.notFound();
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
  run: async ({ path }, context) => {
    const place = locateGranted(context, path, wanted);
    mustBeDeletable(context, place);
    await inParent(place.path, async (parent, name) => {
      const walk = { signal: context.signal, device: fstatSync(parent.fd).dev };
      if (place.kind === 'folder') {
        await inspectTree(walk, { parent, name }, (inner) => {
          if (isProtected(context, inner, 'read'))
            throw errors.protectedPath({ message: 'The folder holds something that is protected' });
        });
        await deleteTree(walk, parent, name);
      } else unlinkSync(parent.entry(name));
      await syncFolder(parent);
    });
    return jsonResult({ path });
  },
});
