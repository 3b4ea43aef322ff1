import { lstatSync, unlinkSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { undoTool } from '@drawbridge/contracts/machines/undo-change';
import { contentBefore, isNamed, type JoinedChange, type JoinedFile } from '../../../kept/index.ts';
import { inParent } from '../../../paths/open.ts';
import { putFile } from '../../../paths/replace-file.ts';
import { syncFolder } from '../../../private-files/private-folder.ts';
import { counted } from '../../../text/words.ts';
import { locate, toResource } from '../../common/access.ts';
import { errors } from '../../common/errors.ts';
import { resourcePath } from '../../common/question-words.ts';
import { jsonResult } from '../../common/result.ts';
import { defineTool, type Resource, type RunContext, type ToolContext } from '../../common/tool.ts';
import { undoPreview } from './undo-preview.ts';
import { input, mustBeAsLeft, requireUndoing, type Undoing } from './undoing.ts';

/** A question names all of them. */
const maxResources = 100;

/** What the calls were allowed to write, as it stands now. Throws `protectedPath`, `changed`. */
const resourcesOf = (context: ToolContext, { resources, files }: JoinedChange): Resource[] => {
  const touched = resources.filter((one) => files.some(({ path }) => isNamed([one], path)));
  if (touched.length > maxResources) throw errors.undoTooLarge();
  return touched.map((one) => {
    const isTree = one.endsWith(sep);
    const place = locate(context, isTree ? one.slice(0, -1) : one, { access: 'write', last: 'keep' });
    if (place.kind === 'link' || place.kind === 'other') throw errors.notFile();
    return toResource({ access: 'write', last: 'keep', place, doing: 'Undo the change of', tree: isTree });
  });
};

const undoOne = async (context: RunContext, file: JoinedFile): Promise<void> => {
  const place = locate(context, file.path, { access: 'write', last: 'keep' });
  const granted = context.granted.map(({ resource }) => resource);
  if (place.path !== file.path || !isNamed(granted, place.path)) throw errors.notGranted();
  const data = await contentBefore(file);
  if (data !== null && file.before !== null) {
    const { tag, root } = context;
    const pieces = async function* () {
      yield data;
    };
    return putFile(place.path, root, { tag, data: pieces(), mode: file.before.mode });
  }
  if (lstatSync(place.path, { throwIfNoEntry: false }) === undefined) return;
  await inParent(place.path, async (folder, name) => {
    unlinkSync(folder.entry(name));
    await syncFolder(folder.entry('.'));
  });
};

/** "a.txt", "3 files of d", "3 files". */
const whatOf = (
  { root }: ToolContext,
  { files, resources }: Undoing,
  [first]: readonly Resource[],
): string => {
  const [file, second] = files;
  if (!second) return resourcePath(root, { ...first!, resource: file!.path });
  const where = resources.length === 1 ? ` of ${resourcePath(root, first)}` : '';
  return counted(files.length, 'file') + where;
};

export const undoChange = defineTool({
  name: undoTool,
  title: 'Undo change',
  description:
    'Undo what earlier calls of file tools changed: files get back what they held, and those that they made are deleted. ' +
    'Kept for 7 days; what commands change is not kept.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async (wanted, context) => {
    const undoing = await requireUndoing(context, wanted);
    await mustBeAsLeft(context, undoing, wanted);
    return resourcesOf(context, undoing);
  },
  asks: async (wanted, resources, context) => {
    const undoing = await requireUndoing(context, wanted);
    const { files, requestIds, missing } = undoing;
    const [file, second] = files;
    const what = whatOf(context, undoing, resources);
    const changed = await mustBeAsLeft(context, undoing, wanted);
    const since =
      changed === null
        ? ''
        : second
          ? `, though changed again since: ${changed}`
          : ', though it has changed again since';
    const lost = missing === 0 ? '' : ` (nothing is kept of ${counted(missing, 'other call')})`;
    if (!second && file?.before === null) return `Delete ${what} again${since}?${lost}`;
    const calls = requestIds.length > 1 ? ` ${counted(requestIds.length, 'call')}` : '';
    return `Put back ${what} as ${second ? 'they were' : 'it was'} before${calls}${since}?${lost}`;
  },
  preview: async (wanted, context) => undoPreview(context, await requireUndoing(context, wanted)),
  run: async (wanted, context) => {
    const undoing = await requireUndoing(context, wanted);
    await mustBeAsLeft(context, undoing, wanted);
    const { files, requestIds, missing } = undoing;
    // What was made goes first: a folder may stand where a file comes back.
    const inOrder = files.toSorted((a, b) => Number(a.before !== null) - Number(b.before !== null));
    for (const file of inOrder) await undoOne(context, file);
    return jsonResult({
      ...(requestIds.length === 1 ? { change: requestIds[0] } : { changes: requestIds }),
      undone: files.map(({ path }) => relative(context.root, path)),
      ...(missing > 0 && { notKept: missing }),
    });
  },
});
