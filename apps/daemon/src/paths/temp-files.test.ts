import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from '../../test/support/tool-fixture.ts';
import { removeTempFiles } from './temp-files.ts';
import { temporaryName } from './replace-file.ts';

it('removes what these calls left beside these files, and nothing else: another daemon may be writing there', async () => {
  const { root, outside } = makeFolders();
  const ours = temporaryName('r1');
  const others = [temporaryName('r2'), ours.slice(1), `${ours}.bak`, 'a.txt'];
  mkdirSync(join(root, 'sub'));
  for (const folder of [root, join(root, 'sub'), outside]) {
    for (const name of [ours, ...others]) writeFileSync(join(folder, name), '');
  }
  symlinkSync(outside, join(root, 'link'));
  const paths = ['a.txt', 'gone/a.txt', 'link/a.txt'].map((path) => join(root, path));
  await removeTempFiles({ tags: ['r0', 'r1'], paths });
  expect(readdirSync(root).toSorted()).toEqual([...others, 'link', 'sub'].toSorted());
  for (const folder of [join(root, 'sub'), outside]) expect(readdirSync(folder)).toContain(ours);
});
