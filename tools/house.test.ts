import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaintsOf, type Exceptions, inspectHouse, lowered } from './house.ts';

const wide = (open: string, length: number, close = '') =>
  open + 'x'.repeat(length - open.length - close.length) + close;

const planted: Record<string, string> = {
  'apps/server/src/long.ts': [
    wide('// ', 111),
    wide('/** ', 111, ' */'),
    wide(' * ', 111),
    wide('const a = 1; // ', 111),
  ].join('\n'),
  'apps/server/src/short.ts': [wide('// ', 110), wide("const a = 'https://", 200, "';")].join('\n'),
  'apps/web/src/long.vue': wide('<!-- ', 111, ' -->'),
  'apps/daemon/src/words.ts': [
    'const courier = 1; const takeBack = 2; letGo(); const requestLedger = 3;',
    '// What is taken back; the server hears what became of it, and nobody else.',
    "say('Whoever asks: the token is taken');",
    'const postLetters = (letter: string) => letter;',
    "// The option's first letter: L",
    "const name = 'a letter'; shear(); const heard = 1; const pantomime = 'takes it back';",
  ].join('\n'),
  'docs/page.md': 'A parcel is sent. A letter is not code.\n\nThe second is none. It ends by itself.\n',
  'packages/kit/src/index.ts': "export * from './shown.ts';",
  'packages/kit/src/shown.ts': '',
  'packages/kit/src/user.ts': ['part', 'tested', 'both', 'large']
    .map((name) => `import './${name}.ts';`)
    .join('\n'),
  'packages/kit/src/other.ts': "import './both.ts';",
  'packages/kit/src/part.ts': '\n'.repeat(23),
  'packages/kit/src/large.ts': 'x\n'.repeat(25),
  'packages/kit/src/both.ts': '',
  'packages/kit/src/tested.ts': '',
  'packages/kit/src/tested.test.ts': "import './tested.ts';",
  'packages/kit/src/node_modules/other/long.ts': wide('// ', 111),
  ...Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`packages/kit/src/full/n${n}.ts`, ''])),
  'packages/kit/src/full/index.ts': '',
  'packages/kit/src/full/n0.test.ts': '',
  'packages/kit/src/full/README.md': '',
  ...Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`packages/kit/src/over/n${n}.ts`, ''])),
  ...Object.fromEntries(
    Array.from({ length: 16 }, (_, n) => [`packages/kit/src/ordered/${n + 1}-step.ts`, '']),
  ),
  ...Object.fromEntries(
    Array.from({ length: 16 }, (_, n) => [`packages/kit/src/twice/${Math.max(1, n)}-step${n}.ts`, '']),
  ),
};

const root = mkdtempSync(join(tmpdir(), 'drawbridge-house-'));
afterAll(() => rmSync(root, { recursive: true }));
beforeAll(() => {
  for (const [path, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});

const none: Exceptions = { commentLines: {}, folders: {}, retiredWords: {}, smallFiles: {} };
const exact: Exceptions = {
  commentLines: { 'apps/server/src/long.ts': 4, 'apps/web/src/long.vue': 1 },
  folders: {
    'packages/kit/src/over': { count: 16, reason: 'planted' },
    'packages/kit/src/twice': { count: 16, reason: 'planted' },
  },
  retiredWords: { 'apps/daemon/src/words.ts': 13, 'docs/page.md': 3 },
  smallFiles: { 'packages/kit/src/part.ts': 1 },
};

it('names every planted violation, and nothing else', () => {
  const { findings, seen } = inspectHouse(root);
  expect(Object.fromEntries(findings.commentLines)).toEqual({
    'apps/server/src/long.ts': [1, 2, 3, 4].map((line) => `line ${line} (111 long)`),
    'apps/web/src/long.vue': ['line 1 (111 long)'],
  });
  expect([...findings.folders.keys()]).toEqual(['packages/kit/src/over', 'packages/kit/src/twice']);
  expect(Object.fromEntries(findings.retiredWords)).toEqual({
    'apps/daemon/src/words.ts': [
      ...['courier', 'take back', 'let go', 'ledger'].map((word) => `line 1 (${word})`),
      ...['taken back', 'hears', 'what became of', 'nobody'].map((word) => `line 2 (${word})`),
      ...['whoever', 'the token is taken'].map((word) => `line 3 (${word})`),
      ...['letters', 'letter', 'letter'].map((word) => `line 4 (${word})`),
    ],
    'docs/page.md': ['line 1 (parcel)', 'line 3 (is none)', 'line 3 (by itself)'],
  });
  expect(Object.fromEntries(findings.smallFiles)).toEqual({
    'packages/kit/src/part.ts': ['1 lines, used by packages/kit/src/user.ts'],
  });
  expect(seen).toBe(79);
});

it('accepts what the exceptions count, no more and no less', () => {
  const { findings } = inspectHouse(root);
  expect(complaintsOf(findings, exact)).toEqual([]);
  expect(complaintsOf(findings, none)).toHaveLength(7);
  const off: Exceptions = {
    commentLines: { ...exact.commentLines, 'apps/gone.ts': 1 },
    folders: { ...exact.folders, 'packages/kit/src/over': { count: 16, reason: '' } },
    retiredWords: { 'apps/daemon/src/words.ts': 14, 'docs/page.md': 1 },
    smallFiles: exact.smallFiles,
  };
  expect(complaintsOf(findings, off)).toEqual([
    'apps/gone.ts: 0 comment lines over 110 characters, 1 in the exceptions: lower it with --write',
    'apps/daemon/src/words.ts: 13 retired words, 14 in the exceptions: lower it with --write',
    'docs/page.md: 3 retired words, 1 in the exceptions: line 1 (parcel), line 3 (is none), line 3 (by itself)',
    'packages/kit/src/over: an exception without a reason',
  ]);
});

it('lowers the counts of the exceptions and never raises them', () => {
  const { findings } = inspectHouse(root);
  const written = lowered(findings, {
    commentLines: { 'apps/gone.ts': 1, 'apps/server/src/long.ts': 9 },
    folders: {
      'packages/kit/src/over': { count: 20, reason: 'planted' },
      'packages/kit/src/twice': { count: 16, reason: 'planted' },
      'apps/gone': { count: 16, reason: 'planted' },
    },
    retiredWords: { 'apps/daemon/src/words.ts': 13, 'docs/page.md': 1 },
    smallFiles: { 'packages/kit/src/gone.ts': 1, 'packages/kit/src/part.ts': 1 },
  });
  expect(written).toEqual({
    commentLines: { 'apps/server/src/long.ts': 4 },
    folders: exact.folders,
    retiredWords: { 'apps/daemon/src/words.ts': 13, 'docs/page.md': 1 },
    smallFiles: { 'packages/kit/src/part.ts': 1 },
  });
});
