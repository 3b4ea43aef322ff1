import { closeSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolders } from '../../../test/support/tool-fixture.ts';
import { sizesIn, type Entry } from './list-entries.ts';
import { lookInside } from './look-inside.ts';
import { openFolder } from '../../paths/open.ts';

const files = (...names: string[]): Entry[] => names.map((name) => ({ name, type: 'file' }));

const openIn = () => {
  const { root, outside } = makeFolders();
  const path = join(root, 'in');
  mkdirSync(path);
  writeFileSync(join(path, 'a.txt'), 'inside');
  writeFileSync(join(outside, 'a.txt'), 'what is outside is longer');
  writeFileSync(join(outside, 'b.txt'), 'only outside');
  const folder = openFolder(path);
  onTestFinished(() => closeSync(folder.fd));
  return { path, outside, folder };
};

it('FS-07 sizes are those of the folder that was opened, wherever its name points by then', () => {
  const { path, outside, folder } = openIn();
  renameSync(path, `${path}.aside`);
  symlinkSync(outside, path);
  expect(sizesIn(folder, files('a.txt', 'b.txt'))).toEqual([6, undefined]);
});

it('a size is that of a link itself, never of what it points at', () => {
  const { path, outside, folder } = openIn();
  symlinkSync(join(outside, 'b.txt'), join(path, 'l'));
  expect(sizesIn(folder, files('l'))).toEqual([join(outside, 'b.txt').length]);
});

it('a folder that was removed meanwhile has no entries', () => {
  const before = process.cwd();
  const { path, folder } = openIn();
  rmSync(path, { recursive: true });
  expect([sizesIn(folder, files('a.txt')), process.cwd()]).toEqual([[undefined], before]);
});

it('the working directory is the same after a look that failed', () => {
  const before = process.cwd();
  const { folder } = openIn();
  const fail = () => {
    throw new Error('failed');
  };
  expect(() => lookInside(folder, fail)).toThrow('failed');
  expect(process.cwd()).toBe(before);
});
