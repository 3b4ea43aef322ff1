import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool } from '../common/tool.ts';
import { locate, locateGranted, toResource } from '../common/access.ts';
import { toText } from './text/decode-text.ts';
import { editPreview } from './preview/file-preview.ts';
import { inParent } from '../../paths/open.ts';
import { readBytes } from '../../paths/read-bytes.ts';
import { replaceFile } from '../../paths/replace-file.ts';
import { maxFileBytes } from '../../paths/limits.ts';

const input = z.strictObject({
  filePath: z.string().describe('Path of the file, relative to the folder'),
  oldString: z.string().min(1).describe('The exact text to replace; its first occurrence counts'),
  newString: z.string().describe('The text to put there'),
});

/** Replaces the first occurrence, literally: `$&` is text. Undefined without a match. */
export const replaceFirst = (text: string, oldString: string, newString: string): string | undefined => {
  const at = text.indexOf(oldString);
  return at === -1 ? undefined : text.slice(0, at) + newString + text.slice(at + oldString.length);
};

/** The whole file after the edit. Throws `noMatch` and `tooLarge`. */
const editedText = (text: string, { oldString, newString }: z.infer<typeof input>): string => {
  const edited = replaceFirst(text, oldString, newString);
  if (edited === undefined) throw errors.noMatch();
  if (Buffer.byteLength(edited) > maxFileBytes) throw errors.tooLarge();
  return edited;
};

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replace the first occurrence of a text in a file by another. Fails when the text does not occur. 512 KiB at most.',
  group: 'filesystemWrite',
  category: 'filesystem',
  effect: 'destroys',
  input,
  resources: async ({ filePath }, context) => {
    const place = locate(context, filePath, { access: 'write' });
    if (place.kind === 'missing') throw errors.notFound();
    if (place.kind === 'folder') throw errors.isFolder();
    if (place.kind !== 'file') throw errors.notFile();
    return [
      toResource({ access: 'read', place, doing: 'Read file' }),
      toResource({ access: 'write', place, doing: 'Edit file' }),
    ];
  },
  asks: (_input, [, file], { root }) => `Change ${resourcePath(root, file)}?`,
  preview: async (wanted, context) => {
    const place = locate(context, wanted.filePath, { access: 'write' });
    const { oldString, newString } = wanted;
    return editPreview(context, place, { oldString, newString, edit: (text) => editedText(text, wanted) });
  },
  run: async (wanted, context) => {
    locateGranted(context, wanted.filePath, { access: 'read' });
    const place = locateGranted(context, wanted.filePath, { access: 'write' });
    const edited = editedText(toText(await readBytes(place.path, context.privateFolder)), wanted);
    const { tag } = context;
    await inParent(place.path, (folder, name) => replaceFile(folder, name, { tag, data: edited }));
    return jsonResult({ path: wanted.filePath });
  },
});
