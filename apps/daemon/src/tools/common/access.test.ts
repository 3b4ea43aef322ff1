import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createOpenLauncher } from '../shell/launch.ts';
import { createShellExecute } from '../shell/shell-execute.ts';
import type { Resource } from './tool.ts';
import { makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { filesystemTools } from '../filesystem/index.ts';

const write = (resource: string): Resource => ({ toolGroup: 'filesystemWrite', resource, description: '' });
const read = (resource: string): Resource => ({ toolGroup: 'filesystemRead', resource, description: '' });

describe('FS-08 a tool acts on what was allowed and on nothing else', () => {
  it.each<[string, Record<string, unknown>, (root: string) => Resource[]]>([
    ['read_file', { filePath: 'a.txt' }, (root) => [write(`${root}/a.txt`), read(`${root}/b.txt`)]],
    ['list_files', { dirPath: 'in' }, (root) => [read(root)]],
    ['get_file_tree', { dirPath: 'in' }, (root) => [read(`${root}/`)]],
    ['search_files', { name: '**' }, (root) => [read(`${root}/in/`)]],
    ['write_file', { filePath: 'a.txt', content: 'x' }, (root) => [read(`${root}/a.txt`)]],
    ['edit_file', { filePath: 'a.txt', oldString: 'a', newString: 'b' }, (root) => [write(`${root}/a.txt`)]],
    ['edit_file', { filePath: 'a.txt', oldString: 'a', newString: 'b' }, (root) => [read(`${root}/a.txt`)]],
    ['create_directory', { dirPath: 'new' }, (root) => [write(`${root}/in`)]],
    ['delete', { path: 'a.txt' }, (root) => [write(`${root}/b.txt`)]],
    [
      'move',
      { sourcePath: 'a.txt', destinationPath: 'c' },
      (root) => [read(`${root}/a.txt`), write(`${root}/c`)],
    ],
    ['copy_file', { sourcePath: 'a.txt', destinationPath: 'c' }, (root) => [write(`${root}/c`)]],
    [
      'shell_execute',
      { command: 'rm a.txt' },
      (root) => [{ ...write(`"${root}" $ rm b.txt`), toolGroup: 'shell' }],
    ],
  ])('%s %j', async (name, input, granted) => {
    const { root, own } = makeFolders();
    mkdirSync(join(root, 'in'));
    writeFileSync(join(root, 'a.txt'), 'a');
    const place = { root, privateFolder: own, clock: systemClock };
    const tools = [...filesystemTools, createShellExecute(createOpenLauncher(place), { sandbox: false })];
    const run = tools
      .find((tool) => tool.name === name)
      ?.run(input, {
        ...place,
        signal: new AbortController().signal,
        reading: { mode: () => 'allow', isDenied: () => false },
        deniedPaths: () => ({ read: [], write: [] }),
        tag: 'tag',
        progress: () => undefined,
        large: async () => undefined,
        outside: (wait) => wait(),
        granted: granted(root),
      });
    await expect(run).rejects.toMatchObject({ code: 'NOT_GRANTED' });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
  });
});

describe('the folder that may be opened instead', () => {
  const reachOf = async (name: string, args: Record<string, unknown>) => {
    const { root, call } = await openTools({ modes: { filesystemRead: 'ask' } });
    mkdirSync(join(root, 'in/deep'), { recursive: true });
    writeFileSync(join(root, 'in/a.txt'), 'a');
    const { reaches = [] } = confirmationText.decode(textOf(await call(name, args)));
    return reaches.flatMap(({ id, label }) => (id === 'folder' ? [label.replace(root, '')] : []));
  };

  it.each<[string, Record<string, unknown>, string]>([
    ['read_file', { filePath: 'in/a.txt' }, 'read files in /in and below'],
    ['list_files', { dirPath: 'in' }, 'read files in /in and below'],
    ['list_files', { dirPath: 'in/deep' }, 'read files in /in/deep and below'],
  ])('%s %j: %s', async (name, args, expected) => {
    expect(await reachOf(name, args)).toEqual([expected]);
  });
});
