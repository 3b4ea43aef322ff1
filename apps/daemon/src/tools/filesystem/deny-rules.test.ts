import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { copyFile } from './copy-file.ts';

const secret = 'the secret inside';

const world = async () => {
  const opened = await openTools({ modes: everythingAllowed });
  mkdirSync(join(opened.root, 'open/hidden'), { recursive: true });
  writeFileSync(join(opened.root, 'open/hidden/a.txt'), secret);
  writeFileSync(join(opened.root, 'open/b.txt'), 'b');
  symlinkSync('open/hidden', join(opened.root, 'link'));
  await opened.settings.addRules('deny', [
    { toolGroup: 'filesystemRead', resource: join(opened.root, 'open/hidden') },
  ]);
  return opened;
};

describe('FS-20 a folder that must not be read', () => {
  it.each([
    ['read_file', { filePath: 'open/hidden/a.txt' }],
    ['read_file', { filePath: 'link/a.txt' }],
    ['export_file', { filePath: 'link/a.txt' }],
    ['read_file', { filePath: 'open/HIDDEN/../hidden/a.txt' }],
    ['list_files', { dirPath: 'open/hidden' }],
    ['get_file_tree', { dirPath: 'link' }],
    ['write_file', { filePath: 'open/hidden/new.txt', content: 'x' }],
    ['edit_file', { filePath: 'open/hidden/a.txt', oldString: 's', newString: '' }],
    ['copy_file', { sourcePath: 'open/hidden/a.txt', destinationPath: 'stolen' }],
    ['copy_file', { sourcePath: 'open/b.txt', destinationPath: 'link/b.txt' }],
    ['move', { sourcePath: 'open/hidden/a.txt', destinationPath: 'stolen' }],
    ['move', { sourcePath: 'open/hidden', destinationPath: 'stolen' }],
    ['move', { sourcePath: 'open', destinationPath: 'stolen' }],
    ['delete', { path: 'open/hidden' }],
    ['delete', { path: 'open' }],
  ])('FS-21 and FS-22 %s %j is refused', async (name, args) => {
    const { root, call } = await world();
    const result = await call(name, args);
    expect([result.isError, textOf(result)]).toEqual([
      true,
      expect.stringContaining('Access denied: a rule forbids '),
    ]);
    expect([
      readFileSync(join(root, 'open/hidden/a.txt'), 'utf8'),
      readdirSync(join(root, 'open/hidden')),
    ]).toEqual([secret, ['a.txt']]);
  });

  it('is named in no list, tree or search', async () => {
    const { call } = await world();
    const results = [
      await call('list_files', { dirPath: 'open' }),
      await call('get_file_tree', { dirPath: '.', maxDepth: 9 }),
      await call('search_files', { name: '**' }),
      await call('search_files', { name: '**', query: 'secret' }),
    ];
    expect(results.map((result) => [result.isError, JSON.stringify(result).includes('hidden')])).toEqual([
      [undefined, false],
      [undefined, false],
      [undefined, false],
      [undefined, false],
    ]);
    expect(results[3]?.structuredContent).toMatchObject({ matches: [], totalMatches: 0 });
  });
});

describe('what a question tells', () => {
  it.each([
    ['write_file', { filePath: 'a.txt', content: 'new' }],
    ['edit_file', { filePath: 'a.txt', oldString: 'inside', newString: 'outside' }],
  ])('%s shows nothing of a file whose reading is itself to be asked for', async (name, args) => {
    const { root, call } = await openTools({ modes: { filesystemRead: 'ask' } });
    writeFileSync(join(root, 'a.txt'), secret);
    const text = textOf(await call(name, args));
    expect([text.includes('GATEWAY_CONFIRMATION_REQUIRED'), text.includes(secret)]).toEqual([true, false]);
  });
});

describe('FS-30 a write that fails', () => {
  it('leaves the old content and nothing else', async () => {
    const { root, own } = makeFolders();
    writeFileSync(join(root, 'from'), 'new');
    writeFileSync(join(root, 'to'), 'old');
    const run = copyFile.run(
      { sourcePath: 'from', destinationPath: 'to' },
      {
        root,
        privateFolder: own,
        clock: systemClock,
        signal: AbortSignal.abort(new Error('cancelled')),
        reading: { mode: () => 'allow', isDenied: () => false },
        deniedPaths: () => ({ read: [], write: [] }),
        tag: 'tag',
        progress: () => undefined,
        large: async () => undefined,
        outside: (wait) => wait(),
        granted: [
          { toolGroup: 'filesystemRead', resource: join(root, 'from'), description: '' },
          { toolGroup: 'filesystemWrite', resource: join(root, 'to'), description: '' },
        ],
      },
    );
    await expect(run).rejects.toThrow('cancelled');
    expect([readdirSync(root), readFileSync(join(root, 'to'), 'utf8')]).toEqual([['from', 'to'], 'old']);
  });
});
