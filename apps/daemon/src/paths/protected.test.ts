import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, makeFolders, textOf, openTools } from '../../test/support/tool-fixture.ts';
import { openAttack, everyTool, refusesAll, snapshot } from '../../test/support/attack-fixture.ts';

describe('protected paths', () => {
  const names = [
    '.git/hooks/pre-commit',
    '.git/config',
    '.gitmodules',
    '.mcp.json',
    '.vscode/tasks.json',
    '.idea/x.xml',
    '.claude/settings.json',
    '.cursor/rules',
    '.bashrc',
    '.zshenv',
    'sub/.git/hooks/x',
    '.git/modules/m/hooks/x',
    '.git/modules/m/config',
    '.git/rebase-merge/git-rebase-todo',
    '.git/worktrees/w/rebase-apply/author-script',
    '.local/bin/drawbridge',
    'home/.local/bin/drawbridge',
    '.drawbridge/versions/current',
    '.drawbridge/versions/0.1.0/node_modules/@drawbridge/daemon/dist/cli.cjs',
  ];

  it.each(names)('FS-26 %s, before it exists, by every tool', async (path) => {
    const opened = await openAttack();
    await refusesAll(opened, [path]);
    expect(readdirSync(opened.root)).toEqual(['in']);
  });

  it.each([
    '.GIT/hooks/x',
    '.giT/CONFIG',
    '.MCP.json',
    '.git/ho\u200boks/x',
    '．git/hooks/x',
    '.ｍcp.json',
    '.vscode ',
    '.Vscode./x',
    '.g\u0131t/config',
    '.vscode\u00ad/x',
  ])('FS-18 %j is protected in this spelling too', async (path) => {
    const opened = await openAttack();
    for (const [name, args] of everyTool(path)) {
      expect([name, (await opened.call(name, args)).isError]).toEqual([name, true]);
    }
    expect(readdirSync(opened.root)).toEqual(['in']);
  });

  it('FS-25 a protected file that exists can be neither read, replaced, moved nor deleted, nor with its folder', async () => {
    const opened = await openAttack();
    mkdirSync(join(opened.root, 'repo/.git/hooks'), { recursive: true });
    writeFileSync(join(opened.root, 'repo/.git/hooks/pre-commit'), 'hook');
    writeFileSync(join(opened.root, '.mcp.json'), '{}');
    opened.link('.mcp.json', 'other-name');
    mkdirSync(join(opened.root, '.git/modules/m/hooks'), { recursive: true });
    opened.link('in/a.txt', '.envrc');
    await refusesAll(opened, ['.mcp.json', 'repo/.git/hooks/pre-commit', 'repo/.git/hooks']);
    const more: [string, Record<string, unknown>][] = [
      ['read_file', { filePath: 'other-name' }],
      ['export_file', { filePath: 'other-name' }],
      ['write_file', { filePath: 'other-name', content: 'x' }],
      ['write_file', { filePath: '.envrc', content: 'x' }],
      ['move', { sourcePath: '.git/modules', destinationPath: 'elsewhere' }],
      ['delete', { path: 'repo' }],
      ['delete', { path: 'repo/.git' }],
      ['move', { sourcePath: 'repo', destinationPath: 'elsewhere' }],
      ['move', { sourcePath: 'repo/.git', destinationPath: 'elsewhere' }],
    ];
    for (const [name, args] of more)
      expect([name, args, (await opened.call(name, args)).isError]).toEqual([name, args, true]);
    expect(readFileSync(join(opened.root, 'repo/.git/hooks/pre-commit'), 'utf8')).toBe('hook');
  });

  it('FS-26 git cannot be sent elsewhere, nor can a folder become what git runs', async () => {
    const opened = await openAttack();
    mkdirSync(join(opened.root, 'evil/hooks'), { recursive: true });
    writeFileSync(join(opened.root, 'evil/hooks/pre-commit'), 'hook');
    mkdirSync(join(opened.root, '.git/modules'), { recursive: true });
    const tries: [string, Record<string, unknown>][] = [
      ['write_file', { filePath: 'in/.git', content: 'gitdir: ../evil' }],
      ['move', { sourcePath: 'evil', destinationPath: 'in/.git' }],
      ['move', { sourcePath: 'evil', destinationPath: '.git/modules/evil' }],
      ['move', { sourcePath: 'evil/hooks', destinationPath: '.git/hooks' }],
      ['copy_file', { sourcePath: 'evil/hooks/pre-commit', destinationPath: '.git/commondir' }],
      ['create_directory', { dirPath: 'in/.git' }],
    ];
    for (const [name, args] of tries)
      expect([args, (await opened.call(name, args)).isError]).toEqual([args, true]);
    expect([existsSync(join(opened.root, 'in/.git')), readdirSync(join(opened.root, '.git'))]).toEqual([
      false,
      ['modules'],
    ]);
  });

  it('FS-24 the folder of the daemon is out of reach: by path, by link, by second name, by search', async () => {
    const folders = makeFolders();
    const opened = await openTools({ modes: everythingAllowed, folders: { ...folders, root: folders.base } });
    await opened.settings.addRules('deny', [{ toolGroup: 'shell', resource: 'curl' }]);
    const before = snapshot(folders.own);
    symlinkSync('../own', join(folders.root, 'link'));
    for (const path of [
      'own/settings.json',
      'own',
      'OWN/settings.json',
      'own/new.json',
      'root/link/settings.json',
    ]) {
      for (const [name, args] of everyTool(path).filter(
        ([, args]) => !Object.values(args).includes('in/a.txt'),
      )) {
        expect([name, path, (await opened.call(name, args)).isError]).toEqual([name, path, true]);
      }
    }
    linkSync(join(folders.own, 'settings.json'), join(folders.base, 'second'));
    expect(textOf(await opened.call('read_file', { filePath: 'second' }))).toBe(
      'This path is protected from every tool',
    );
    const found: ToolResult = await opened.call('search_files', { name: '**', query: 'curl' });
    expect(found.structuredContent).toMatchObject({ matches: [] });
    expect(statSync(folders.own).mode & 0o777).toBe(0o700);
    expect(snapshot(folders.own).map((line) => line.split('|')[4])).toEqual(
      before.map((line) => line.split('|')[4]),
    );
  });
});
