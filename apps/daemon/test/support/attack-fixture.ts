import { lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { everythingAllowed, textOf, openTools } from './tool-fixture.ts';

export const secret = 'the secret outside';

/** Every path below a folder with what it is: content, link target, inode. */
export const snapshot = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const found = lstatSync(join(folder, path));
      const content = found.isFile() ? readFileSync(join(folder, path), 'utf8') : '';
      return [path, found.ino, found.mode, found.nlink, content].join('|');
    });

/** Tools with every right, something inside their root, and something outside that must stay as it is. */
export const openAttack = async () => {
  const opened = await openTools({ modes: everythingAllowed });
  mkdirSync(join(opened.outside, 'dir'));
  writeFileSync(join(opened.outside, 'secret.txt'), secret);
  writeFileSync(join(opened.outside, 'dir/secret.txt'), secret);
  mkdirSync(join(opened.root, 'in'));
  writeFileSync(join(opened.root, 'in/a.txt'), 'inside');
  const before = snapshot(opened.outside);
  return {
    ...opened,
    link: (target: string, path: string) => symlinkSync(target, join(opened.root, path)),
    untouched: () => expect(snapshot(opened.outside)).toEqual(before),
  };
};
type World = Awaited<ReturnType<typeof openAttack>>;

/** Every file tool with one and the same path, in each place where it takes one. */
export const everyTool = (path: string): [string, Record<string, unknown>][] => [
  ['read_file', { filePath: path }],
  ['export_file', { filePath: path }],
  ['list_files', { dirPath: path }],
  ['get_file_tree', { dirPath: path }],
  ['write_file', { filePath: path, content: 'x' }],
  ['edit_file', { filePath: path, oldString: 's', newString: 'x' }],
  ['create_directory', { dirPath: path }],
  ['delete', { path }],
  ['move', { sourcePath: path, destinationPath: 'stolen' }],
  ['move', { sourcePath: 'in/a.txt', destinationPath: path }],
  ['copy_file', { sourcePath: path, destinationPath: 'stolen' }],
  ['copy_file', { sourcePath: 'in/a.txt', destinationPath: path }],
];

export const refusesAll = async ({ call, untouched }: World, paths: string[]) => {
  for (const path of paths) {
    for (const [name, args] of everyTool(path)) {
      const result = await call(name, args);
      expect([name, args, result.isError], textOf(result)).toEqual([name, args, true]);
      expect(JSON.stringify(result)).not.toContain(secret);
    }
  }
  untouched();
};
