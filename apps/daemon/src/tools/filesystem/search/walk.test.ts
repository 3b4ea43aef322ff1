import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { maxWalkedEntries } from '../limits.ts';
import { ripgrep } from './ripgrep.ts';
import { walk } from './walk.ts';

const { signal } = new AbortController();
const byRipgrep = async (root: string, glob: string) =>
  (await ripgrep({ root, glob, clock: systemClock, signal })).paths.sort();
const byWalk = async (root: string, glob: string) => (await walk(root, glob, signal))?.paths.sort();

const name = fc.constantFrom(
  'a',
  'b.ts',
  '.env',
  'Über.ts',
  'Dist',
  'node_modules',
  'x+y',
  'a.b.tsx',
  'ab\u0007',
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const segment = fc.oneof(
  name,
  fc.constantFrom('**', '*', '*.ts', '*.{ts,tsx}', 'a*', '*b*', '{a,b}.ts', '.*', '*.*', 'Ü*', '{a}'),
);
const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

it('finds what ripgrep finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(path, { maxLength: 12 }), glob, async (paths, wanted) => {
      const { root } = makeFolders();
      for (const file of paths) {
        try {
          mkdirSync(join(root, dirname(file)), { recursive: true });
          writeFileSync(join(root, file), '');
        } catch {
          // One name is a file and a folder: the first stays.
        }
      }
      const walked = await byWalk(root, wanted);
      if (!wanted.includes('\u0007')) expect(walked).toEqual(await byRipgrep(root, wanted));
      rmSync(root, { recursive: true });
    }),
    { numRuns: 40 },
  );
}, 60_000);

it('lists no link, and nothing below one', async () => {
  const { root, outside } = makeFolders();
  writeFileSync(join(outside, 'a.ts'), '');
  symlinkSync(join(outside, 'a.ts'), join(root, 'linked.ts'));
  symlinkSync(outside, join(root, 'linked'));
  writeFileSync(join(root, 'own.ts'), '');
  expect(await byWalk(root, '**')).toEqual(['own.ts']);
});

it.each(['a?', '[ab]', '!a', 'a/', '', 'a//b', 'a**', '{a,}', '{a,{b,c}}', 'a\\*', 'a '])(
  'leaves the glob %j to ripgrep',
  async (other) => {
    expect(await walk(makeFolders().root, other, signal)).toBeUndefined();
  },
);

it('leaves a large tree to ripgrep', async () => {
  const { root } = makeFolders();
  for (let at = 0; at < maxWalkedEntries; at += 1) writeFileSync(join(root, `${at}.txt`), '');
  expect((await byWalk(root, '*.txt'))?.length).toBe(maxWalkedEntries);
  writeFileSync(join(root, 'one-more'), '');
  expect(await byWalk(root, '*.txt')).toBeUndefined();
});

it('a tree that seems large is left to ripgrep before it is walked', async () => {
  const { root } = makeFolders();
  for (let at = 0; at < 200; at += 1) mkdirSync(join(root, `a${at}`));
  for (let folder = 0; folder < 10; folder += 1) {
    mkdirSync(join(root, `z${folder}`));
    for (let at = 0; at < 100; at += 1) writeFileSync(join(root, `z${folder}`, `${at}.txt`), '');
  }
  expect(await byWalk(root, '*.txt')).toBeUndefined();
});
