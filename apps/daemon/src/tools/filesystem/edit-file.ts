import { z } from 'zod';
import { errors } from '../errors.ts';
import { jsonResult } from '../result.ts';
import { defineTool } from '../tool.ts';
import { locate, locateGranted, toResource } from './access.ts';
import { toText } from './content.ts';
import { currentText, difference } from './difference.ts';
import { maxFileBytes } from './limits.ts';
import { inParent } from './open.ts';
import { readBytes } from './read-bytes.ts';
import { replaceFile } from './replace.ts';

const input = z.strictObject({
  filePath: z.string().describe('Path of the file, relative to the folder'),
  oldString: z.string().min(1).describe('The exact text to replace; its first occurrence counts'),
  newString: z.string().describe('The text to put there'),
});

/** Replaces the first occurrence, literally: `$&` is text. Undefined when there is none. */
export const replaceFirst = (text: string, oldString: string, newString: string): string | undefined => {
  const at = text.indexOf(oldString);
  return at === -1 ? undefined : text.slice(0, at) + newString + text.slice(at + oldString.length);
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
    if (place.kind !== 'file') throw errors.notFile();
    return [
      toResource({ access: 'read', place, doing: 'Read file' }),
      toResource({ access: 'write', place, doing: 'Edit file' }),
    ];
  },
  preview: async ({ filePath, oldString, newString }, context) => {
    const place = locate(context, filePath, { access: 'write' });
    const before = await currentText(context, place);
    // Where reading is to be asked for too, the question shows what the call brings and nothing of the file.
    if (before === undefined) return difference(context, place, { before: oldString, after: newString });
    return difference(context, place, {
      before,
      after: replaceFirst(before, oldString, newString) ?? before,
    });
  },
  run: async ({ filePath, oldString, newString }, context) => {
    locateGranted(context, filePath, { access: 'read' });
    const place = locateGranted(context, filePath, { access: 'write' });
    const text = toText(await readBytes(place.path, context.privateFolder));
    const edited = replaceFirst(text, oldString, newString);
    if (edited === undefined) throw errors.noMatch();
    if (Buffer.byteLength(edited) > maxFileBytes) throw errors.tooLarge();
    const { requestId } = context;
    await inParent(place.path, (folder, name) => replaceFile(folder, name, { requestId, data: edited }));
    return jsonResult({ path: filePath });
  },
});
