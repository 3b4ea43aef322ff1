/** One line of a unified diff, with its number on the side or sides where it stands. */
export type DiffLine =
  | { kind: 'added'; text: string; newLine: number }
  | { kind: 'removed'; text: string; oldLine: number }
  | { kind: 'same'; text: string; oldLine: number; newLine: number }
  | { kind: 'gap'; text: string }
  | { kind: 'note'; text: string };

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads a unified diff, also one that was cut in the middle. Inside a hunk the counts of its head say what a line is,
 * so that a changed line that looks like a head of a file stays a changed line. The names of the files are left out.
 */
export const diffLines = (patch: string): DiffLine[] => {
  const lines: DiffLine[] = [];
  let oldLine = 0;
  let newLine = 0;
  let oldLeft = 0;
  let newLeft = 0;
  let inHunks = false;

  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const text = line.slice(1);
    if (line.startsWith('\\') && inHunks) {
      lines.push({ kind: 'note', text: text.trim() });
    } else if (oldLeft > 0 || newLeft > 0) {
      if (line.startsWith('+')) {
        lines.push({ kind: 'added', text, newLine: newLine++ });
        newLeft -= 1;
      } else if (line.startsWith('-')) {
        lines.push({ kind: 'removed', text, oldLine: oldLine++ });
        oldLeft -= 1;
      } else {
        lines.push({ kind: 'same', text, oldLine: oldLine++, newLine: newLine++ });
        oldLeft -= 1;
        newLeft -= 1;
      }
    } else {
      const head = hunkHead.exec(line);
      if (head) {
        oldLine = Number(head[1]);
        oldLeft = Number(head[2] ?? 1);
        newLine = Number(head[3]);
        newLeft = Number(head[4] ?? 1);
        if (inHunks || oldLine > 1) lines.push({ kind: 'gap', text: `Line ${newLine}` });
        inHunks = true;
      } else if (inHunks || !/^(?:---|\+\+\+|===|diff |index |Index: )/.test(line)) {
        if (line !== '') lines.push({ kind: 'note', text: line });
      }
    }
  }
  return lines;
};

/** How many lines come and go. */
export const diffCounts = (lines: readonly DiffLine[]): { added: number; removed: number } => ({
  added: lines.filter(({ kind }) => kind === 'added').length,
  removed: lines.filter(({ kind }) => kind === 'removed').length,
});
