import { execFileSync } from 'node:child_process';
import { linkSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { openAttack, everyTool, refusesAll, secret } from '../../../test/support/attack-fixture.ts';

describe('paths that lead outside', () => {
  it('FS-01 climbing and absolute paths are refused by every tool', async () => {
    const opened = await openAttack();
    await refusesAll(opened, [
      '../outside/secret.txt',
      'in/../../outside/secret.txt',
      './../outside/secret.txt',
      'in/./../../outside',
      join(opened.outside, 'secret.txt'),
      `${opened.root}/../outside/secret.txt`,
      '/',
      '..',
    ]);
  });

  it.each([
    '~',
    '~root',
    '$HOME',
    '%2e%2e/outside/secret.txt',
    '..%2foutside',
    '..\\outside\\secret.txt',
    '....//outside',
  ])('FS-01 %s is a name like any other, inside the root', async (path) => {
    const { root, call, untouched } = await openAttack();
    expect(await call('write_file', { filePath: path, content: 'x' })).toMatchObject({
      structuredContent: { path },
    });
    expect(readFileSync(join(root, path), 'utf8')).toBe('x');
    untouched();
  });

  it.each([
    'C:\\x',
    'C:x',
    '\\\\srv\\share',
    '\\\\?\\C:\\x',
    '\\\\.\\pipe\\x',
    'file.txt:stream',
    'PROGRA~1',
    'NUL.txt',
    'COM\u00b9',
  ])('FS-13 %s is a name inside the root where it means nothing to the system', async (path) => {
    const { root, call, untouched } = await openAttack();
    await call('write_file', { filePath: path, content: 'x' });
    expect(readdirSync(root).sort()).toEqual([path, 'in'].sort());
    untouched();
  });

  it('FS-01 no text leads outside (property)', async () => {
    const opened = await openAttack();
    opened.link('../outside', 'out');
    opened.link('in', 'alias');
    const part = fc.constantFrom(
      '..',
      '.',
      'in',
      'out',
      'alias',
      'a.txt',
      'secret.txt',
      'dir',
      'new',
      '~',
      '',
      ' ',
      'é',
      opened.outside,
    );
    const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(path, fc.nat(10), async (tried, which) => {
        const [name, args] = everyTool(tried)[which] ?? ['read_file', { filePath: tried }];
        if (name === 'delete' || name === 'move') return;
        expect(JSON.stringify(await opened.call(name, args))).not.toContain(secret);
        opened.untouched();
      }),
      { numRuns: 300 },
    );
  });

  it('FS-02 a sibling with the same beginning is outside', async () => {
    const opened = await openAttack();
    mkdirSync(`${opened.root}-evil`);
    writeFileSync(`${opened.root}-evil/x`, secret);
    await refusesAll(opened, ['../root-evil/x', `${opened.root}-evil/x`, `${opened.root}.bak`]);
  });

  it('FS-02 the root may be the whole disk', async () => {
    const folders = makeFolders();
    writeFileSync(join(folders.outside, 'a.txt'), 'reachable');
    const { call } = await openTools({ folders: { ...folders, root: '/' } });
    expect(await call('read_file', { filePath: join(folders.outside, 'a.txt') })).toMatchObject({
      structuredContent: { content: 'reachable' },
    });
  });

  it.each([
    ['NUL', 'a\0b'],
    ['control', 'a\u001bb'],
    ['newline', 'a\nb'],
    ['too long', 'a/'.repeat(2_049)],
    ['a name too long', 'a'.repeat(256)],
    ['empty', ''],
    ['only blanks', '   '],
    ['half a character', 'a\ud800'],
  ])('FS-03 %s gets a clean error', async (_case, path) => {
    const { root, call } = await openAttack();
    const before = readdirSync(root);
    for (const [name, args] of everyTool(path)) {
      const result = await call(name, args);
      expect([name, result.isError]).toEqual([name, true]);
    }
    expect(readdirSync(root)).toEqual(before);
  });
});

describe('links', () => {
  it('FS-04 a link that leads outside is refused by every tool that would follow it', async () => {
    const opened = await openAttack();
    opened.link('../outside/secret.txt', 'file');
    opened.link(join(opened.outside, 'dir'), 'folder');
    opened.link('../..', 'in/up');
    opened.link('in/../../outside/secret.txt', 'middle');
    opened.link('loop', 'loop');
    for (let at = 0; at < 45; at += 1) opened.link(at === 0 ? 'in/a.txt' : `chain${at - 1}`, `chain${at}`);
    await refusesAll(opened, ['folder/secret.txt', 'folder/new', 'in/up/outside/secret.txt', 'loop/x']);
    for (const path of ['file', 'folder', 'middle', 'loop', 'chain44']) {
      for (const [name, args] of everyTool(path)) {
        if (name === 'delete' || name === 'move') continue;
        expect([name, path, (await opened.call(name, args)).isError]).toEqual([name, path, true]);
      }
    }
    opened.untouched();
  });

  it('FS-04 a link inside the root works, also through others and by an absolute target', async () => {
    const opened = await openAttack();
    opened.link('in', 'one');
    opened.link(join(opened.root, 'one'), 'two');
    opened.link('../in/./a.txt', 'in/three');
    for (const filePath of ['one/a.txt', 'two/a.txt', 'two/three']) {
      expect(await opened.call('read_file', { filePath })).toMatchObject({
        structuredContent: { content: 'inside' },
      });
    }
    await opened.call('write_file', { filePath: 'two/three', content: 'written' });
    expect(readFileSync(join(opened.root, 'in/a.txt'), 'utf8')).toBe('written');
    expect(lstatSync(join(opened.root, 'in/three')).isSymbolicLink()).toBe(true);
  });

  it('FS-06 dangling links are followed to where they would write', async () => {
    const opened = await openAttack();
    opened.link('../outside', 'out');
    opened.link('out/new', 'hop');
    opened.link('hop', 'hop2');
    opened.link('nothing/../../outside/new', 'through');
    opened.link('../outside/none', 'middle');
    opened.link('in/fresh.txt', 'fine');
    for (const filePath of ['hop', 'hop2', 'through', 'middle/x', 'middle']) {
      expect([filePath, (await opened.call('write_file', { filePath, content: 'x' })).isError]).toEqual([
        filePath,
        true,
      ]);
      expect([filePath, (await opened.call('create_directory', { dirPath: filePath })).isError]).toEqual([
        filePath,
        true,
      ]);
    }
    opened.untouched();
    await opened.call('write_file', { filePath: 'fine', content: 'x' });
    expect(readFileSync(join(opened.root, 'in/fresh.txt'), 'utf8')).toBe('x');
  });

  it('FS-09 a file with a second name outside is not changed there', async () => {
    const opened = await openAttack();
    linkSync(join(opened.outside, 'secret.txt'), join(opened.root, 'hard'));
    await opened.call('write_file', { filePath: 'hard', content: 'x' });
    expect(readFileSync(join(opened.outside, 'secret.txt'), 'utf8')).toBe(secret);
    expect(readFileSync(join(opened.root, 'hard'), 'utf8')).toBe('x');
  });

  it('FS-15 deleting takes the link, never what it points at', async () => {
    const opened = await openAttack();
    opened.link('../outside/dir', 'in/folder');
    opened.link('../outside/secret.txt', 'file');
    await opened.call('delete', { path: 'file' });
    await opened.call('delete', { path: 'in' });
    expect(readdirSync(opened.root)).toEqual([]);
    opened.untouched();
  });

  it.each([
    ['delete', { path: '.' }, 'The folder that the tools work in cannot be deleted, moved or replaced'],
    ['delete', { path: 'in/..' }, 'The folder that the tools work in cannot be deleted, moved or replaced'],
    [
      'move',
      { sourcePath: '.', destinationPath: 'in/x' },
      'The folder that the tools work in cannot be deleted, moved or replaced',
    ],
    [
      'move',
      { sourcePath: 'in', destinationPath: '.' },
      'The folder that the tools work in cannot be deleted, moved or replaced',
    ],
    ['write_file', { filePath: '.', content: '' }, 'This is a folder; list_files shows what it holds'],
  ])('FS-15 the root itself stays: %s %j', async (name, args, text) => {
    const opened = await openAttack();
    expect(textOf(await opened.call(name, args))).toBe(text);
    expect(readdirSync(opened.root)).toEqual(['in']);
  });
});

describe('what is not a file', () => {
  it('FS-11 FIFO, socket and device are refused without waiting', async () => {
    const opened = await openAttack();
    execFileSync('mkfifo', [join(opened.root, 'fifo')]);
    const server = createServer().listen(join(opened.root, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    for (const path of ['fifo', 'socket']) {
      for (const [name, args] of everyTool(path)) {
        if (name === 'delete' || (name === 'move' && args['sourcePath'] === path)) continue;
        expect([name, path, (await opened.call(name, args)).isError]).toEqual([name, path, true]);
      }
    }
    expect((await opened.call('search_files', { name: '**', query: 'x' })).structuredContent).toMatchObject({
      matches: [],
    });
  });

  it('FS-10 and FS-11 with the whole disk as root, devices and kernel files are refused', async () => {
    const folders = makeFolders();
    const { call } = await openTools({ folders: { ...folders, root: '/' } });
    for (const filePath of [
      '/dev/zero',
      '/dev/stdin',
      '/proc/self/environ',
      '/proc/self/root/etc/passwd',
      '/sys/kernel/mm',
      '/proc/1/fd/0',
    ]) {
      for (const tool of ['read_file', 'export_file'])
        expect([tool, filePath, (await call(tool, { filePath })).isError]).toEqual([tool, filePath, true]);
    }
    expect(
      (await call('copy_file', { sourcePath: '/dev/zero', destinationPath: join(folders.root, 'z') }))
        .isError,
    ).toBe(true);
  });

  it('FS-11 a sparse file beyond the limit is refused', async () => {
    const opened = await openAttack();
    execFileSync('truncate', ['-s', '10G', join(opened.root, 'sparse')]);
    for (const [name, args] of everyTool('sparse').filter(([tool]) =>
      ['read_file', 'export_file', 'edit_file'].includes(tool),
    )) {
      expect((await opened.call(name, args)).isError).toBe(true);
    }
    expect((await opened.call('copy_file', { sourcePath: 'sparse', destinationPath: 'x' })).isError).toBe(
      true,
    );
  });
});
