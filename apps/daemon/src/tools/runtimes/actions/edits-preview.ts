import type { Preview } from '@drawbridge/contracts/preview';
import { applyPatch, createTwoFilesPatch } from 'diff';
import { locate } from '../../common/access.ts';
import { errors } from '../../common/errors.ts';
import type { ToolContext } from '../../common/tool.ts';
import { currentText, editPreview, writePreview } from '../../filesystem/preview/file-preview.ts';
import type { Edit } from '../driver.ts';

const changedMeanwhile = { message: 'The file has changed since the coding agent read it' };

/**
 * The file as it would be: `before` is all of it, or a part that is in it once. `whole` keeps which were
 * edits of a whole file: the program writes those whatever the file has become.
 */
const applied = (current: string, edit: Edit, whole: WeakSet<Edit>): string => {
  const { path, after, patch, parts = [] } = edit;
  const before = edit.before ?? '';
  if (patch !== undefined) {
    const patched = applyPatch(current, patch);
    if (patched === false) throw errors.noMatch();
    return patched;
  }
  if (before === '' || before === current) {
    whole.add(edit);
    return after;
  }
  if (whole.has(edit)) throw errors.noMatch(changedMeanwhile);
  const [start, rest, ...more] = current.split(before);
  if (start === undefined || rest === undefined || more.length > 0) throw errors.noMatch();
  const changed = start + after + rest;
  return parts.reduce((text, part) => applied(text, { path, ...part }, whole), changed);
};

const maxText = 200_000;

/** Each edit as a patch of the file as the one before left it, whatever the program says was there. */
const patchesOf = async (context: ToolContext, edits: readonly Edit[], whole: WeakSet<Edit>) => {
  const texts = new Map<string, string>();
  const patches: string[] = [];
  for (const edit of edits) {
    const { path } = edit;
    const place = locate(context, path, { access: 'write' });
    const known = texts.get(place.path);
    const before = known ?? (await currentText(context, place));
    const isNew = edit.before === null || (known === undefined && place.kind === 'missing');
    const after = before === undefined || isNew ? edit.after : applied(before, edit, whole);
    if (before !== undefined) texts.set(place.path, after);
    patches.push(createTwoFilesPatch(path, path, before ?? edit.before ?? '', after));
  }
  return patches.join('\n');
};

/** What edits would change: the daemon's own diff from the disk, for several files as one text. */
export const editsPreview = async (
  context: ToolContext,
  edits: readonly Edit[],
  whole: WeakSet<Edit>,
): Promise<Preview> => {
  const [first, ...more] = edits;
  if (first !== undefined && more.length === 0) {
    const { path, before, after } = first;
    const place = locate(context, path, { access: 'write' });
    if (before === null || place.kind === 'missing') return writePreview(context, place, after);
    const texts = { oldString: before, newString: after };
    return editPreview(context, place, {
      ...texts,
      edit: (current) => applied(current, first, whole),
    });
  }
  const text = await patchesOf(context, edits, whole);
  if (text.length > maxText) throw errors.tooLarge();
  return { kind: 'text', of: 'content', path: `${edits.length} files`, text };
};
