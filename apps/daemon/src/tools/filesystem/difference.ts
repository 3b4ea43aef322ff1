import { relative } from 'node:path';
import type { Preview } from '@drawbridge/contracts';
import { createTwoFilesPatch } from 'diff';
import type { ToolContext } from '../tool.ts';
import { toText } from './content.ts';
import type { Place } from './place.ts';
import { readBytes } from './read-bytes.ts';

const maxPreviewLength = 60_000;
/** Two texts that differ more than this are shown as the new one alone: telling them apart line by line takes too long. */
const maxEdits = 2_000;

/** What stands there now, as far as the one who is asked may have it read: nothing for no file, undefined for not to be shown. */
export const currentText = async (context: ToolContext, place: Place): Promise<string | undefined> => {
  if (place.kind === 'missing') return '';
  if (place.kind !== 'file' || context.reading.mode(place.path) !== 'allow') return undefined;
  try {
    return toText(await readBytes(place.path, context.privateFolder));
  } catch {
    return undefined;
  }
};

/** A unified diff from `before` to `after`, cut at the cap. */
export const difference = (
  context: ToolContext,
  place: Place,
  change: { before: string; after: string },
): Preview => {
  const path = relative(context.root, place.path);
  const patch = (before: string) =>
    createTwoFilesPatch(path, path, before, change.after, undefined, undefined, {
      context: 3,
      maxEditLength: maxEdits,
    });
  const text = patch(change.before) ?? change.after;
  return {
    kind: 'diff',
    path: path.slice(0, 4_096),
    text: text.slice(0, maxPreviewLength),
    truncated: text.length > maxPreviewLength,
  };
};
