import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolders } from '../try-out.ts';
import { createPlainFiles } from './plain-files.ts';

const world = () => {
  const { root, outside } = makeFolders();
  mkdirSync(join(root, 'in/deep'), { recursive: true });
  for (const path of ['top.txt', 'in/a.txt', 'in/deep/b.txt']) writeFileSync(join(root, path), 'inside');
  writeFileSync(join(outside, 'a.txt'), 'outside');
  symlinkSync('in', join(root, 'link'));
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('a.txt', join(root, 'in/file-link.txt'));
  const files = createPlainFiles(root);
  onTestFinished(files.close);
  return { root, outside, files };
};

it.each([
  ['top.txt', true],
  ['in/a.txt', true],
  ['in/deep/b.txt', true],
  ['in', false],
  ['in/none.txt', false],
  ['none/a.txt', false],
  ['link/a.txt', false],
  ['link/deep/b.txt', false],
  ['out/a.txt', false],
  ['in/file-link.txt', false],
  ['top.txt/a.txt', false],
])('%s is a plain file: %s', (path, expected) => {
  expect(world().files.has(path)).toBe(expected);
});

it('FS-07 goes on with the folder that it opened, also when a link stands in its place by then', () => {
  const { root, outside, files } = world();
  const before = files.has('in/a.txt');
  renameSync(join(root, 'in'), join(root, 'aside'));
  symlinkSync(outside, join(root, 'in'));
  writeFileSync(join(outside, 'only-outside.txt'), 'outside');
  expect([before, files.has('in/only-outside.txt'), files.has('top.txt'), files.has('in/a.txt')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
