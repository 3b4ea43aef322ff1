import {
  closeSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolders } from '../../test/support/tool-fixture.ts';
import { mkdirp } from './mkdirp.ts';
import { inParent, openFolder, openForReading, openSubfolder, type Folder } from './open.ts';
import { replaceFile } from './replace-file.ts';

/** Folders in which `in` was swapped for a link to outside after somebody had looked at it. */
const swapped = () => {
  const folders = makeFolders();
  const path = join(folders.root, 'in');
  mkdirSync(join(path, 'deep'), { recursive: true });
  mkdirSync(join(folders.outside, 'deep'));
  writeFileSync(join(folders.outside, 'deep/a.txt'), 'outside');
  writeFileSync(join(path, 'deep/a.txt'), 'inside');
  const swap = () => {
    renameSync(path, `${path}.aside`);
    symlinkSync(folders.outside, path);
  };
  return { ...folders, path, swap };
};

const closing = (folder: Folder): Folder => {
  onTestFinished(() => closeSync(folder.fd));
  return folder;
};

describe('FS-07 what was swapped between the look and the opening', () => {
  it.each<[string, (path: string, root: string) => unknown]>([
    ['a file below it', (path) => openForReading(join(path, 'deep/a.txt'))],
    ['a folder below it', (path) => openFolder(join(path, 'deep'))],
    ['the folder itself', (path) => openFolder(path)],
    ['the parent of something below it', (path) => inParent(join(path, 'deep/new'), () => undefined)],
    ['a folder to be made below it', (path, root) => mkdirp(join(path, 'deep/new/er'), root)],
  ])('is not opened: %s', async (_case, run) => {
    const { path, root, outside, swap } = swapped();
    swap();
    await expect((async () => run(path, root))()).rejects.toMatchObject({
      code: expect.stringMatching(/^(CHANGED|NOT_A_FOLDER|ENOTDIR)$/),
    });
    expect(existsSync(join(outside, 'deep/new'))).toBe(false);
  });

  it('a file that became a link is not opened', () => {
    const { path, outside } = swapped();
    renameSync(join(path, 'deep/a.txt'), join(path, 'deep/b.txt'));
    symlinkSync(join(outside, 'deep/a.txt'), join(path, 'deep/a.txt'));
    expect(() => openForReading(join(path, 'deep/a.txt'))).toThrow(
      expect.objectContaining({ code: 'CHANGED' }),
    );
  });

  it('what is open stays the folder that was opened', async () => {
    const { path, outside, swap } = swapped();
    const folder = closing(openFolder(join(path, 'deep')));
    swap();
    await replaceFile(folder, 'new.txt', { tag: 'r1', data: 'mine' });
    const made = closing(openSubfolder(closing(openFolder(`${path}.aside`)), 'deep'));
    expect(readFileSync(made.entry('new.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(outside, 'deep/new.txt'))).toBe(false);
  });

  it('a subfolder that became a link is not entered', () => {
    const { root, swap } = swapped();
    const parent = closing(openFolder(root));
    swap();
    expect(() => openSubfolder(parent, 'in')).toThrow(/ENOTDIR|changed/);
  });
});
