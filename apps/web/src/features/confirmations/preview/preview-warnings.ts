import type { Preview } from '@drawbridge/contracts/preview';
import { previewRows } from '@drawbridge/contracts/preview-rows';
import { contentWarningsOf, type TextWarning } from '@drawbridge/kit';

const shown = new Set<TextWarning>([
  'hidden-characters',
  'right-to-left',
  'combining-marks',
  'mixed-scripts',
]);

/** What the new lines of a change have that looks like something else. */
export const previewWarnings = (preview: Preview): TextWarning[] =>
  contentWarningsOf(
    previewRows(preview)
      .filter(({ kind }) => kind !== 'removed')
      .map(({ text }) => text)
      .join('\n'),
  ).filter((one) => shown.has(one));
