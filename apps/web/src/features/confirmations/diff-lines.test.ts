import { expect, it } from 'vitest';
import { diffCounts, diffLines } from './diff-lines.ts';

const head = '--- a\n+++ a\n';

it.each([
  [
    'a change with its neighbours',
    `${head}@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n`,
    [
      { kind: 'same', text: 'one', oldLine: 1, newLine: 1 },
      { kind: 'removed', text: 'two', oldLine: 2 },
      { kind: 'added', text: 'zwei', newLine: 2 },
      { kind: 'same', text: 'three', oldLine: 3, newLine: 3 },
    ],
  ],
  [
    'a removed line that looks like a head',
    `${head}@@ -1,2 +1,1 @@\n--- a/secret\n keep\n`,
    [
      { kind: 'removed', text: '-- a/secret', oldLine: 1 },
      { kind: 'same', text: 'keep', oldLine: 2, newLine: 1 },
    ],
  ],
  [
    'a new file without a line feed at its end',
    '--- a\n+++ a\n@@ -0,0 +1,1 @@\n+hi\n\\ No newline at end of file\n',
    [
      { kind: 'added', text: 'hi', newLine: 1 },
      { kind: 'note', text: 'No newline at end of file' },
    ],
  ],
  [
    'two places',
    `${head}@@ -1 +1 @@\n-a\n+b\n@@ -9,1 +9,2 @@\n x\n+y\n`,
    [
      { kind: 'removed', text: 'a', oldLine: 1 },
      { kind: 'added', text: 'b', newLine: 1 },
      { kind: 'gap', text: 'Line 9' },
      { kind: 'same', text: 'x', oldLine: 9, newLine: 9 },
      { kind: 'added', text: 'y', newLine: 10 },
    ],
  ],
  [
    'a diff cut in the middle',
    `${head}@@ -1,0 +1,9 @@\n+one\n+tw`,
    [
      { kind: 'added', text: 'one', newLine: 1 },
      { kind: 'added', text: 'tw', newLine: 2 },
    ],
  ],
  ['nothing', '', []],
])('reads %s', (_what, patch, expected) => {
  expect(diffLines(patch)).toEqual(expected);
});

it('counts what comes and goes', () => {
  expect(diffCounts(diffLines(`${head}@@ -1,2 +1,3 @@\n-a\n+b\n+c\n d\n`))).toEqual({ added: 2, removed: 1 });
});
