import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { setVariables } from '../../../../test/support/home/config.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { openShell, sharedShell } from '../../../../test/support/shell-fixture.ts';

const git = 'git -c user.name=A -c user.email=a@example.org -c init.defaultBranch=main';
const fill = (root: string) => {
  writeFileSync(join(root, 'a.txt'), 'a\n');
  const made = `${git} init --quiet && ${git} add -A && ${git} commit --quiet -m one`;
  expect(spawnSync('/bin/sh', ['-c', made], { cwd: root, encoding: 'utf8' }).stderr).toBe('');
};

const until = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
const limit = { timeout: 30_000 };

/** Whether something stands there, or below it, that is no stand-in. */
const isWritten = (path: string): boolean => {
  const stats = existsSync(path) ? lstatSync(path) : undefined;
  return stats?.isFile() === true && !['', '.'].includes(readFileSync(path, 'utf8'));
};

/** Paths where the second command writes, and how. */
const attacks: [string, string][] = [
  ['.vscode/tasks.json', 'mkdir -p .vscode; echo x > .vscode/tasks.json'],
  ['.idea', 'rm -rf .idea; echo x > .idea'],
  ['.claude/settings.json', 'mkdir -p .claude; echo x > .claude/settings.json'],
  ['.cursor/mcp.json', 'mv .cursor c; mkdir .cursor; echo x > .cursor/mcp.json'],
  ['.git/hooks/pre-commit', 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit'],
  ['.git/commondir', 'rm -f .git/commondir; echo ../other > .git/commondir'],
  ['sub/.git/hooks/pre-commit', 'mkdir -p sub/.git/hooks; echo x > sub/.git/hooks/pre-commit'],
  ['denied.txt', 'rm -f denied.txt; echo x > denied.txt'],
  ['closed/denied.txt', 'rm -rf closed; mkdir -p closed; echo x > closed/denied.txt'],
  ['open/denied.txt', 'rm -f open/denied.txt; echo x > open/denied.txt'],
];

describeWith('bubblewrap', 'git')('NG-19 a stand-in that two commands share', () => {
  it('stays until the second has ended, though the first has made it', async () => {
    const { root, run, settings } = await openShell();
    const place = (name: string) => join(root, name);
    await settings.addRules(
      'deny',
      ['denied.txt', 'closed/denied.txt', 'open/denied.txt'].map((name) => ({
        toolGroup: 'filesystemWrite',
        resource: place(name),
      })),
    );
    for (const folder of [root, place('sub')]) {
      mkdirSync(folder, { recursive: true });
      fill(folder);
      rmSync(join(folder, '.git/hooks'), { recursive: true });
    }
    mkdirSync(place('open'));
    const put = (name: string) => writeFileSync(place(name), '');
    const appears = (name: string) => expect.poll(() => existsSync(place(name)), limit).toBe(true);
    const written = () => attacks.map(([path]) => path).filter((path) => isWritten(place(path)));

    const first = run(`touch began-1; ${until('go-1')}`);
    await appears('began-1');
    const all = attacks.map(([, attack]) => attack).join('; ');
    const second = run(`touch began-2; ${until('go-2')}; ${all}; touch tried; ${until('end')}`);
    await appears('began-2');
    put('go-1');
    await first;
    put('go-2');
    await appears('tried');
    expect(written()).toEqual([]);
    put('end');
    const { notes = [] } = await second;
    expect([written(), notes.filter((note) => note.includes('renamed'))]).toEqual([[], []]);
  });
});

describeWith('bubblewrap', 'git')('stand-ins in a repository', () => {
  const shell = sharedShell();

  it('whose path has signs of patterns, beside a file that is denied, with patterns of the person', async () => {
    const folders = makeFolders();
    const root = join(folders.root, 'a[1] *"b"');
    mkdirSync(root);
    fill(root);
    setVariables({ HOME: folders.outside });
    writeFileSync(join(folders.outside, 'ignore'), '*.log\n');
    writeFileSync(join(folders.outside, '.gitconfig'), '[core]\n\texcludesFile = ~/ignore\n');
    const { run, settings } = await openShell({ ...folders, root });
    await settings.addRules('deny', [
      { toolGroup: 'filesystemWrite', resource: join(root, 'x[1].txt') },
      { toolGroup: 'filesystemWrite', resource: join(root, 'd/e.txt') },
    ]);
    const { stdout } = await run(
      'touch a.log x1.txt; git status --porcelain; git clean -fdn; git clone -q . c; cd c; mkdir .vscode; touch .vscode/s; git status -s -uall; rm -r ../c',
    );
    expect(stdout).toBe('?? x1.txt\nWould remove x1.txt\n?? .vscode/s\n');
  });

  it.each([
    ['git status --porcelain', ''],
    ['git status --porcelain --untracked-files=all', ''],
    ['git clean -nd', ''],
    ['git clean -fd', ''],
    ['mkdir -p d/e && touch d/e/f && git clean -fd && ls', 'Removing d/\na.txt\n'],
    [`echo b > b.txt && ${git} stash --quiet -u && git status --porcelain && ls`, 'a.txt\n'],
    ['mkdir -p n/.idea && touch n/.idea/x n/y && git status --porcelain -uall', '?? n/.idea/x\n?? n/y\n'],
    ['git ls-files --others --directory --exclude-standard', ''],
  ])('are no matter for git: %s', async (command, stdout) => {
    const { root, run } = shell();
    fill(root);
    const ended = await run(command);
    expect([ended.stderr, ended.exitCode, ended.stdout]).toEqual(['', 0, stdout]);
  });
});
