import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@drawbridge/e2e/harness';
import type { Asked } from './bare.ts';

const kibibyte = 1024;

/** A folder with a file of 1 KiB, and the call that reads it. */
export const folderToRead = (root = newFolder('bench')): { root: string; read: Asked } => {
  const text = 'a line of sixteen'.repeat(64).slice(0, kibibyte);
  writeFileSync(join(root, 'one-kib.txt'), text);
  return { root, read: { name: 'read_file', arguments: { filePath: 'one-kib.txt' }, expects: text } };
};

/** Puts a folder with `count` files into `root`; the call lists it. */
export const folderToList = (root: string, count: number): Asked => {
  mkdirSync(join(root, 'many'));
  for (let n = 0; n < count; n++) writeFileSync(join(root, 'many', `file-${n}.txt`), 'x'.repeat(n));
  return { name: 'list_files', arguments: { dirPath: 'many' }, expects: `file-${count - 1}.txt` };
};

/** 200 folders with `count` files; one in a hundred is a `.log`, one in a thousand contains "needle". */
export const treeToSearch = (count: number): string => {
  const root = newFolder('tree');
  const filler = Array.from({ length: 40 }, (_item, at) => `line ${at} of a file like any other\n`).join('');
  for (let n = 0; n < count; n++) {
    const folder = join(root, `area-${n % 10}`, `part-${n % 200}`);
    if (n < 200) mkdirSync(folder, { recursive: true });
    const name = `file-${n}.${n % 100 === 7 ? 'log' : 'txt'}`;
    writeFileSync(join(folder, name), n % 1_000 === 7 ? `${filler}a needle here\n` : filler);
  }
  return root;
};

/** A text file whose result from `read_file` is 1 MiB of JSON: the text stands in it twice. */
export const folderWithMebibyte = (root = newFolder('big')): { root: string; read: Asked } => {
  writeFileSync(join(root, 'half-mib.txt'), `${'x'.repeat(1_023)}\n`.repeat(511));
  return {
    root,
    read: {
      name: 'read_file',
      arguments: { filePath: 'half-mib.txt', maxLines: 10_000 },
      expects: 'x'.repeat(1_023),
    },
  };
};
