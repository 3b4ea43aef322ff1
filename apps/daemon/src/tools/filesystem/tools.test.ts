import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { largeFileBytes } from './limits.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const withFiles = async (files: Record<string, string | Buffer>) => {
  const world = await openTools({ modes: everythingAllowed });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(world.root, path, '..'), { recursive: true });
    writeFileSync(join(world.root, path), content);
  }
  return { ...world, text: (path: string) => readFileSync(join(world.root, path), 'utf8') };
};

describe('read_file', () => {
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`).join('\n');

  it.each([
    ['the first 200 lines', {}, 1, 200, true],
    ['from a line on', { startLine: 290 }, 290, 300, false],
    ['some lines', { startLine: 2, maxLines: 3 }, 2, 4, true],
  ])('gives %s', async (_case, args, from, to, truncated) => {
    const { call } = await withFiles({ 'a.txt': lines });
    expect((await call('read_file', { filePath: 'a.txt', ...args })).structuredContent).toEqual({
      path: 'a.txt',
      content: lines
        .split('\n')
        .slice(from - 1, to)
        .join('\n'),
      truncated,
      totalLines: 300,
    });
  });

  it('reads a third large file when one of two results is delivered, and small ones meanwhile', async () => {
    const large = 'x'.repeat(largeFileBytes);
    const { root, dispatch } = await withFiles({ 'a.txt': large, 'small.txt': large.slice(1) });
    const read = (requestId: string, filePath: string, delivered: Promise<void>) =>
      dispatch(
        { requestId, toolCall: { name: 'read_file', arguments: { filePath } } },
        {
          tag: 'tag',
          signal: new AbortController().signal,
          progress: () => undefined,
          starting: async () => undefined,
          delivered,
        },
      );
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await read('r1', 'a.txt', first.promise);
    await read('r2', 'a.txt', second.promise);
    const third = read('r3', 'a.txt', Promise.resolve());
    expect((await read('r4', 'small.txt', new Promise(() => undefined))).isError).toBeUndefined();
    // The third file is read after its wait.
    writeFileSync(join(root, 'a.txt'), 'now');
    second.resolve();
    expect((await third).structuredContent).toMatchObject({ content: 'now' });
  });

  it('gives a picture by its bytes, whatever its name says (FS-32)', async () => {
    const { call } = await withFiles({ 'a.txt': png, 'b.png': '<html>' });
    expect((await call('read_file', { filePath: 'a.txt' })).content).toEqual([
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    ]);
    expect((await call('read_file', { filePath: 'b.png' })).structuredContent).toMatchObject({
      content: '<html>',
    });
  });

  it.each([
    ['512 KiB', Buffer.alloc(512 * 1024, 'a'), undefined],
    [
      'a byte more',
      Buffer.alloc(512 * 1024 + 1, 'a'),
      'The file is too large: 512 KiB at most; with startLine or maxLines a part of a text of up to 256 MiB',
    ],
    [
      'a NUL',
      Buffer.from('a\0b'),
      'This is a binary file; only text and PNG, JPEG, GIF and WebP pictures can be read',
    ],
    [
      'no UTF-8',
      Buffer.from([0xff, 0xfe, 0x41]),
      'This is a binary file; only text and PNG, JPEG, GIF and WebP pictures can be read',
    ],
  ])('reads or refuses %s', async (_case, content, refusal) => {
    const { call } = await withFiles({ a: content });
    const result = await call('read_file', { filePath: 'a' });
    expect(result.isError ? textOf(result) : undefined).toBe(refusal);
  });
});

describe('list_files and get_file_tree', () => {
  const files = {
    'b.txt': 'bb',
    'src/deep/er/est.ts': '',
    'src/a.ts': '',
    'node_modules/x/index.js': '',
    '.vscode/tasks.json': '{}',
    '.git/config': '',
  };

  it('lists one folder, without what is protected', async () => {
    const { root, call } = await withFiles(files);
    symlinkSync('b.txt', join(root, 'link'));
    expect((await call('list_files', {})).structuredContent).toEqual({
      entries: [
        { path: '.git', type: 'directory' },
        { path: 'node_modules', type: 'directory' },
        { path: 'src', type: 'directory' },
        { path: 'b.txt', type: 'file', sizeBytes: 2 },
        { path: 'link', type: 'link' },
      ],
      truncated: false,
    });
    expect((await call('list_files', { dirPath: 'src', type: 'file' })).structuredContent).toEqual({
      entries: [{ path: 'src/a.ts', type: 'file', sizeBytes: 0 }],
      truncated: false,
    });
    expect((await call('list_files', { maxResults: 1 })).structuredContent).toMatchObject({
      truncated: true,
    });
  });

  it('draws a tree two folders deep', async () => {
    const { root, call } = await withFiles(files);
    expect(textOf(await call('get_file_tree', { dirPath: '.' }))).toBe(
      [
        `${root}/`,
        '  src/',
        '    deep/',
        '      er/',
        '    a.ts',
        '  b.txt',
        '',
        '(There is more: raise maxDepth or look into a folder of it.)',
      ].join('\n'),
    );
    expect(textOf(await call('get_file_tree', { dirPath: 'src', maxDepth: 9 }))).toBe(
      [`${root}/src/`, '  deep/', '    er/', '      est.ts', '  a.ts'].join('\n'),
    );
  });
});

describe('search_files', () => {
  const files = {
    'README.md': 'Needle here\nno\nneedle again',
    'src/a.ts': 'const a = "needle";\n',
    'src/b.js': 'needle',
    'node_modules/x.ts': 'needle',
    '.hidden/c.ts': 'needle(a+)+$',
    'bin.ts': 'needle\0',
    '.claude/x.ts': 'needle',
    'new\nline.ts': 'needle',
  };
  const found = (...paths: string[]) => paths.map((path) => ({ path }));

  it.each([
    ['at any depth', { name: '**/*.ts' }, found('.hidden/c.ts', 'bin.ts', 'src/a.ts')],
    ['at the top only', { name: '*.md' }, found('README.md')],
    ['in one folder', { name: 'src/*' }, found('src/a.ts', 'src/b.js')],
    ['nothing', { name: '*.nothing' }, []],
    [
      'text',
      { name: '**/*.ts', query: 'needle' },
      [
        { path: '.hidden/c.ts', lineNumber: 1, line: 'needle(a+)+$' },
        { path: 'src/a.ts', lineNumber: 1, line: 'const a = "needle";' },
      ],
    ],
    [
      'text that looks like an expression',
      { name: '**', query: '(a+)+$' },
      [{ path: '.hidden/c.ts', lineNumber: 1, line: 'needle(a+)+$' }],
    ],
    [
      'text in any letter case',
      { name: '*.md', query: 'NEEDLE', ignoreCase: true },
      [
        { path: 'README.md', lineNumber: 1, line: 'Needle here' },
        { path: 'README.md', lineNumber: 3, line: 'needle again' },
      ],
    ],
  ])('finds %s', async (_case, args, matches) => {
    const { call } = await withFiles(files);
    const result = await call('search_files', args);
    expect(result.structuredContent?.['matches']).toEqual(matches);
  });

  it('cuts, counts and says so', async () => {
    const { call } = await withFiles(files);
    const result = await call('search_files', { name: '**', query: 'eedle', maxResults: 2 });
    expect(result.structuredContent).toMatchObject({ truncated: true, totalMatches: 5 });
  });

  it.each(['../*', '/etc/*', 'a/../../*'])('refuses the glob %s', async (name) => {
    const { call } = await withFiles(files);
    expect((await call('search_files', { name })).isError).toBe(true);
  });

  it.each([
    ['many braces', '{a,b}'.repeat(20)],
    ['many stars', '**/'.repeat(30)],
    ['an open class', '[a'],
    ['a hidden climb', '{.,x}./out/*'],
  ])('FS-27 ends and stays inside with %s', async (_case, name) => {
    const { call } = await withFiles(files);
    const result = await call('search_files', { name });
    expect(result.isError ? 'refused' : result.structuredContent?.['matches']).toSatisfy(
      (seen) =>
        seen === 'refused' || (Array.isArray(seen) && seen.every(({ path }) => !path.includes('out'))),
    );
  });
});

describe('write_file, edit_file, create_directory, delete, move, copy_file', () => {
  it.each([
    ['write_file', { filePath: 'n/a.txt', content: 'x' }, { path: 'n/a.txt' }, { 'n/a.txt': 'x' }],
    [
      'edit_file',
      { filePath: 'a.txt', oldString: 'one', newString: '$& two' },
      { path: 'a.txt' },
      { 'a.txt': '$& two one' },
    ],
    ['create_directory', { dirPath: 'p/q' }, { path: 'p/q' }, { 'p/q': null }],
    ['delete', { path: 'a.txt' }, { path: 'a.txt' }, { 'a.txt': undefined }],
    ['delete', { path: 'd' }, { path: 'd' }, { d: undefined, 'a.txt': 'one one' }],
    [
      'move',
      { sourcePath: 'a.txt', destinationPath: 'n/b.txt' },
      undefined,
      { 'a.txt': undefined, 'n/b.txt': 'one one' },
    ],
    [
      'move',
      { sourcePath: 'a.txt', destinationPath: 'd/c.txt' },
      undefined,
      { 'a.txt': undefined, 'd/c.txt': 'one one' },
    ],
    ['move', { sourcePath: 'd', destinationPath: 'e/f' }, undefined, { d: undefined, 'e/f/c.txt': 'c' }],
    [
      'copy_file',
      { sourcePath: 'a.txt', destinationPath: 'n/b.txt' },
      undefined,
      { 'a.txt': 'one one', 'n/b.txt': 'one one' },
    ],
  ])('%s %j', async (name, args, data, after) => {
    const world = await withFiles({ 'a.txt': 'one one', 'd/c.txt': 'c' });
    expect(await world.call(name, args)).toMatchObject({ structuredContent: data ?? args });
    for (const [path, expected] of Object.entries(after)) {
      const full = join(world.root, path);
      const found = !existsSync(full) ? undefined : statSync(full).isDirectory() ? null : world.text(path);
      expect([path, found]).toEqual([path, expected]);
    }
  });

  it.each([
    [
      'edit_file',
      { filePath: 'a.txt', oldString: 'nine', newString: '' },
      'oldString does not occur in the file',
    ],
    ['edit_file', { filePath: 'a.txt', oldString: '', newString: '' }, /oldString: /],
    ['edit_file', { filePath: 'no', oldString: 'a', newString: '' }, 'Nothing exists at this path'],
    ['write_file', { filePath: 'd', content: '' }, 'This is a folder; list_files shows what it holds'],
    ['write_file', { filePath: 'a.txt/b', content: '' }, 'This is not a folder'],
    [
      'write_file',
      { filePath: 'big', content: 'a'.repeat(512 * 1024 + 1) },
      'The file is too large: 512 KiB at most',
    ],
    ['create_directory', { dirPath: 'a.txt' }, 'Something already exists at this path'],
    ['copy_file', { sourcePath: 'd', destinationPath: 'e' }, 'This is not a regular file'],
    ['list_files', { dirPath: 'a.txt' }, 'This is not a folder'],
  ])('%s %j is refused', async (name, args, text) => {
    const world = await withFiles({ 'a.txt': 'one one', 'd/c.txt': 'c' });
    const result = await world.call(name, args);
    expect([result.isError, textOf(result)]).toEqual([
      true,
      typeof text === 'string' ? text : expect.stringMatching(text),
    ]);
    expect([world.text('a.txt'), world.text('d/c.txt')]).toEqual(['one one', 'c']);
  });

  it('keeps the mode of what it replaces, and gives a copy that of its source (FS-17)', async () => {
    const world = await withFiles({ 'run.sh': '#!/bin/sh\n' });
    const { chmodSync } = await import('node:fs');
    chmodSync(join(world.root, 'run.sh'), 0o4750);
    await world.call('write_file', { filePath: 'run.sh', content: 'new' });
    await world.call('copy_file', { sourcePath: 'run.sh', destinationPath: 'copy.sh' });
    const modeOf = (path: string) => (statSync(join(world.root, path)).mode & 0o7777).toString(8);
    expect([modeOf('run.sh'), modeOf('copy.sh')]).toEqual(['750', '750']);
  });
});
