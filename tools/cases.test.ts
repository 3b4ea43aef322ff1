import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { complaints, idsOf, rowsOf } from './cases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const testsBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist'].includes(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testsBelow(path);
    return /\.(test|long)\.ts$/.test(entry.name) ? [path] : [];
  });

describe('docs/security.md', () => {
  const tests = new Map(
    ['apps', 'packages', 'e2e']
      .flatMap(testsBelow)
      .map((path) => [path, idsOf(readFileSync(join(root, path), 'utf8'))]),
  );
  const rows = rowsOf(readFileSync(join(root, 'docs/security.md'), 'utf8'));

  it('says where each case is tested, or why it is not', () => {
    expect(complaints(rows, tests)).toEqual([]);
  });

  it.each([
    ['FS', 34],
    ['SH', 95],
    ['BR', 16],
    ['CF', 33],
    ['PS', 14],
    ['LG', 12],
    ['SS', 16],
    ['AG', 12],
    ['WK', 7],
  ])('has the area %s with its %d cases', (area, count) => {
    expect(rows.filter((row) => row.id.startsWith(`${area}-`))).toHaveLength(count);
  });
});

const page = (...lines: string[]) => ['## Area (XX-01 to XX-02)', ...lines].join('\n');
const first = '| XX-01 | first | `a.test.ts` | |';
const second = '| XX-02 | second | | Cannot be done here. |';
const ids = (...names: string[]) => names.map((name) => `it('${name}', () => {});`).join('\n');

it.each([
  ['nothing', page(first, second), ids('XX-01 holds'), []],
  ['an id that no test carries', page(first, second), ids('holds'), ['XX-01 is in no test of a.test.ts']],
  ['an id in a comment alone', page(first, second), '// XX-01', ['XX-01 is in no test of a.test.ts']],
  [
    'a test that the page does not know',
    page(first, second),
    ids('XX-01', 'XX-03'),
    ['XX-03 of apps/a.test.ts is not on the page'],
  ],
  ['a gap', page(first), ids('XX-01'), ['XX-02 is missing from "Area (XX-01 to XX-02)"']],
  [
    'a line too many',
    page(first, second, '| XX-03 | third | | No. |'),
    ids('XX-01'),
    ['XX-03 does not belong to "Area (XX-01 to XX-02)"'],
  ],
  ['a repeat', page(first, second, second), ids('XX-01'), ['XX-02 is there twice']],
  [
    'neither test nor reason',
    page(first, '| XX-02 | second | | |'),
    ids('XX-01'),
    ['XX-02 has neither a test nor a reason'],
  ],
  [
    'a bar in a text',
    page(first, '| XX-02 | `|` | `a.test.ts` | |'),
    ids('XX-01', 'XX-02'),
    ['XX-02 has not four columns', 'XX-02 is tested, and no file is named'],
  ],
  [
    'a test where the page has a reason',
    page(first, second),
    ids('XX-01', 'XX-02'),
    ['XX-02 is tested, and no file is named'],
  ],
])('complains of %s', (_what, text, source, expected) => {
  const tests = new Map([['apps/a.test.ts', idsOf(source)]]);
  expect(complaints(rowsOf(text), tests)).toEqual(expected);
});

it('finds ids in rows of tables and in templates', () => {
  const source = "const rows = [['XX-01', 1]]; describe(`XX-02 on ${why} XX-03`, () => {});";
  expect([...idsOf(source)]).toEqual(['XX-01', 'XX-02']);
});
