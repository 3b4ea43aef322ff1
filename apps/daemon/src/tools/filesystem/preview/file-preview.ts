import { statSync } from 'node:fs';
import { relative } from 'node:path';
import type { Preview } from '@drawbridge/contracts/preview';
import type { ToolContext } from '../../common/tool.ts';
import { contentPreview, diffPreview } from './change-preview.ts';
import { toText } from '../text/decode-text.ts';
import type { Place } from '../../../paths/place.ts';
import { readBytes } from '../../../paths/read-bytes.ts';
import { maxPathBytes } from '../../../paths/limits.ts';

/** Whether the caller may read it as it is: what a question says of a file is no way around one. */
const mayShow = (context: ToolContext, place: Place): boolean =>
  place.kind === 'file' && context.reading.mode(place.path) === 'allow';

const textAt = async ({ privateFolder }: ToolContext, { path }: Place): Promise<string> =>
  toText(await readBytes(path, privateFolder));

/** The present text, if the caller may read it: empty for no file, undefined where it must not be shown. */
export const currentText = async (context: ToolContext, place: Place): Promise<string | undefined> => {
  if (place.kind === 'missing') return '';
  return mayShow(context, place) ? textAt(context, place).catch(() => undefined) : undefined;
};

/** Whether writing this text would change nothing, where the caller may read the file without a question. */
export const isUnchanged = async (context: ToolContext, place: Place, text: string): Promise<boolean> => {
  const { size } = statSync(place.path, { throwIfNoEntry: false }) ?? {};
  return size === Buffer.byteLength(text) && (await currentText(context, place)) === text;
};

/** ", 4,096 bytes of binary data" of a file that is no text and may be read; else nothing. */
export const binaryWords = async (context: ToolContext, place: Place): Promise<string> => {
  if (!mayShow(context, place)) return '';
  const bytes = await readBytes(place.path, context.privateFolder).catch(() => undefined);
  if (bytes === undefined) return '';
  try {
    toText(bytes);
    return '';
  } catch {
    return `, ${bytes.length.toLocaleString('en')} bytes of binary data`;
  }
};

const nameOf = (context: ToolContext, place: Place): string =>
  relative(context.root, place.path).slice(0, maxPathBytes);

/** The question's preview of a file that is written whole. */
export const writePreview = async (context: ToolContext, place: Place, after: string): Promise<Preview> => {
  const before = await currentText(context, place);
  const path = nameOf(context, place);
  return before === undefined ? contentPreview(path, after) : diffPreview(path, { before, after }, 'file');
};

/**
 * The preview of one text replaced by another. `edit` gives the whole file after it. What the call would
 * fail with is thrown here, before anybody is asked, where the file may be read without a question.
 */
export const editPreview = async (
  context: ToolContext,
  place: Place,
  texts: { oldString: string; newString: string; edit(before: string): string },
): Promise<Preview> => {
  const path = nameOf(context, place);
  // Where reading is to be asked for too, the question shows what the call brings and nothing of the file.
  if (!mayShow(context, place))
    return diffPreview(path, { before: texts.oldString, after: texts.newString }, 'fragment');
  const before = await textAt(context, place);
  return diffPreview(path, { before, after: texts.edit(before) }, 'file');
};
