import type { PreviewRow } from '@drawbridge/contracts/preview-rows';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDetails } from './line-details.ts';
import { partsOf } from './line-parts.ts';
import { splitRows } from './split-rows.ts';

const removed = (text: string): PreviewRow => ({ kind: 'removed', text });
const added = (text: string): PreviewRow => ({ kind: 'added', text });
const marked = (rows: readonly PreviewRow[], path = 'a.txt') => {
  const details = lineDetails(rows, path);
  return rows.map(({ text, ...row }) => {
    const own = details.get(rows.find((one) => one.text === text && one.kind === row.kind)!);
    return own?.marks.map(({ from, to }) => text.slice(from, to)) ?? [];
  });
};

it('marks the words in which a line differs from the one in its place', () => {
  expect(marked([removed('const port = 3000;'), added('const port = 8080;')])).toEqual([['3000'], ['8080']]);
});

it.each([
  ['lines with little in common', [removed('abc def'), added('something else here')]],
  ['an added line alone', [added('const port = 8080;')]],
  ['very long lines with little in common', [removed('a'.repeat(1_200)), added('b'.repeat(1_200))]],
])('marks nothing in %s', (_, rows) => {
  expect(marked(rows).flat()).toEqual([]);
});

it('of very long lines the part that differs is marked, and what both have is folded', () => {
  const [head, tail] = ['a{color:', `;${'b'.repeat(4_000)}`];
  const rows = [removed(`${head}red${tail}`), added(`${head}blue${tail}`)];
  expect(marked(rows)).toEqual([['red'], ['blue']]);
  const [, line] = rows;
  const details = line && lineDetails(rows, 'a.css').get(line);
  const parts = partsOf(line?.text ?? '', { colours: [], marks: details?.marks ?? [] }) ?? [];
  expect(parts.map(({ text, fold }) => (fold === undefined ? text.length : [text.length]))).toEqual([
    8,
    4,
    60,
    [3_881],
    60,
  ]);
  expect(partsOf(`${head}${tail}`, { colours: [], marks: [] })?.some(({ fold }) => fold !== undefined)).toBe(
    false,
  );
});

it('colours a language that the path names, and no other text', () => {
  const row = added("const a = 'x'; // note");
  const kinds = (path: string) =>
    lineDetails([row], path)
      .get(row)
      ?.colours.map(({ kind }) => kind);
  expect(kinds('src/a.ts')).toEqual(['keyword', 'string', 'comment']);
  expect(kinds('a.unknown')).toBeUndefined();
});

it('CF-15 coloured and marked, a line is its text and nothing else', () => {
  const range = fc
    .tuple(fc.nat(30), fc.nat(30))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b), kind: 'keyword' as const }));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(range), fc.array(range), (text, colours, marks) => {
      const parts = partsOf(text, { colours, marks });
      return parts === null || parts.map((part) => part.text).join('') === text;
    }),
  );
});

it.each(['a\u202eb', `x${' '.repeat(30)}y`, 'n\u05d0', `a${'\u0301'.repeat(9)}`])(
  'CF-18 leaves a line with %j to the text that writes it out',
  (text) => expect(partsOf(text, { colours: [], marks: [] })).toBeNull(),
);

it('splits a change in two sides, and keeps every row', () => {
  const rows: PreviewRow[] = [
    { kind: 'gap', text: '3 unchanged lines' },
    { kind: 'same', text: 'a' },
    removed('b'),
    removed('c'),
    added('d'),
    { kind: 'omitted', text: '1 new line is not shown' },
    added('e'),
  ];
  const texts = splitRows(rows).map((row) =>
    row.kind === 'whole' ? row.row.text : [row.left?.text, row.right?.text],
  );
  expect(texts).toEqual([
    '3 unchanged lines',
    ['a', 'a'],
    ['b', 'd'],
    ['c', undefined],
    '1 new line is not shown',
    [undefined, 'e'],
  ]);
});
