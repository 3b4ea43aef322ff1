import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from '../try-out.ts';
import { removeHalfWritten } from './half-written.ts';

it('removes what we left beside these files, and nothing else', async () => {
  const { root, outside } = makeFolders();
  const ours = '.drawbridge-0123456789ab.tmp';
  const others = ['.drawbridge-0123456789a.tmp', 'drawbridge-0123456789ab.tmp', `${ours}.bak`, 'a.txt'];
  mkdirSync(join(root, 'sub'));
  for (const folder of [root, join(root, 'sub'), outside]) {
    for (const name of [ours, ...others]) writeFileSync(join(folder, name), '');
  }
  symlinkSync(outside, join(root, 'link'));
  await removeHalfWritten(['a.txt', 'gone/a.txt', 'link/a.txt'].map((path) => join(root, path)));
  expect(readdirSync(root).toSorted()).toEqual([...others, 'link', 'sub'].toSorted());
  for (const folder of [join(root, 'sub'), outside]) expect(readdirSync(folder)).toContain(ours);
});
