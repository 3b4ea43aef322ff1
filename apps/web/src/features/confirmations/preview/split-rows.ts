import type { PreviewRow } from '@drawbridge/contracts/preview-rows';

/** A row of the split view: a line at each side, or something that concerns both. */
export type SplitRow =
  | { kind: 'lines'; left: PreviewRow | undefined; right: PreviewRow | undefined }
  | { kind: 'whole'; row: PreviewRow };

/** The rows of a preview side by side: removed lines at the left, added lines at the right. */
export const splitRows = (rows: readonly PreviewRow[]): SplitRow[] => {
  const split: SplitRow[] = [];
  let left: PreviewRow[] = [];
  let right: PreviewRow[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(left.length, right.length); at += 1)
      split.push({ kind: 'lines', left: left[at], right: right[at] });
    [left, right] = [[], []];
  };
  for (const row of rows) {
    switch (row.kind) {
      case 'removed':
        if (right.length > 0) flush();
        left.push(row);
        break;
      case 'added':
        right.push(row);
        break;
      case 'same':
        flush();
        split.push({ kind: 'lines', left: row, right: row });
        break;
      case 'file':
      case 'gap':
      case 'note':
      case 'omitted':
        flush();
        split.push({ kind: 'whole', row });
        break;
      default:
        row satisfies never;
    }
  }
  flush();
  return split;
};
