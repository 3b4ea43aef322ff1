import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from '../../test/support/tool-fixture.ts';
import { plainFilesIn } from './plain-files.ts';

const world = () => {
  const { root, outside } = makeFolders();
  mkdirSync(join(root, 'in/deep'), { recursive: true });
  for (const path of ['top.txt', 'in/a.txt', 'in/deep/b.txt']) writeFileSync(join(root, path), 'inside');
  writeFileSync(join(outside, 'a.txt'), 'outside');
  symlinkSync('in', join(root, 'link'));
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('a.txt', join(root, 'in/file-link.txt'));
  return root;
};

it.each([
  ['.', ['top.txt']],
  ['in', ['a.txt']],
  ['in/deep', ['b.txt']],
  ['link', []],
  ['link/deep', []],
  ['out', []],
  ['none', []],
  ['top.txt', []],
  ['..', []],
])('the plain files in %s are %j', (folder, expected) => {
  expect([...plainFilesIn(world(), folder)]).toEqual(expected);
});
