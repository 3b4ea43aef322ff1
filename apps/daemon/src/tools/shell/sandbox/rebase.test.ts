import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { withoutCommands } from './git/rebase-todo.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';

const git =
  'git -c user.name=Ada -c user.email=ada@example.org -c init.defaultBranch=main -c core.editor=true';
const commit = (text: string) => `echo ${text} > a && git add a && ${git} commit --quiet -m ${text}`;

/** Two branches that do not agree. */
const open = async () => {
  const folders = makeFolders();
  const { root } = folders;
  const outside = (command: string) =>
    spawnSync('/bin/sh', ['-c', command], { cwd: root, encoding: 'utf8', env: process.env });
  outside(
    [`${git} init --quiet`, commit('one'), 'git checkout --quiet -b side', commit('two')]
      .concat('git checkout --quiet main', commit('three'), 'git checkout --quiet side')
      .join(' && '),
  );
  const { run } = await openShell(folders);
  return { root, run, outside, todo: join(root, '.git/rebase-merge/git-rebase-todo') };
};

describeWith('bubblewrap', 'git')('FS-26 a rebase', () => {
  it('stops at a conflict and goes on in the next command', async () => {
    const { root, run } = await open();
    const stopped = await run(`${git} rebase main`);
    expect([stopped.exitCode, existsSync(join(root, '.git/rebase-merge'))]).toEqual([1, true]);
    const done = await run(`echo both > a && git add a && ${git} rebase --continue && git log --format=%s`);
    expect([done.exitCode, done.notes, done.stdout?.trim().split('\n').slice(-3)]).toEqual([
      0,
      undefined,
      ['two', 'three', 'one'],
    ]);
  });

  it('runs nothing outside that a command has put into its list', async () => {
    const { root, run, outside, todo } = await open();
    const planted = await run(
      `${git} rebase main; printf '  exec touch pwned\\nx touch pwned\\nnoop\\n' >> .git/rebase-merge/git-rebase-todo`,
    );
    expect(planted.notes).toEqual([
      'From .git/rebase-merge/git-rebase-todo 2 lines were removed that run programs: a command may not write them.',
    ]);
    expect(readFileSync(todo, 'utf8')).not.toContain('pwned');
    outside(`echo both > a && git add a && ${git} rebase --continue`);
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  it.each([
    [
      'a folder elsewhere',
      'mkdir x && echo exec touch pwned > x/git-rebase-todo && ln -s ../x .git/rebase-merge',
    ],
    [
      'a list elsewhere',
      'mkdir .git/rebase-merge && echo exec id > x && ln -s ../../x .git/rebase-merge/git-rebase-todo',
    ],
    ['a pipe', 'mkdir .git/rebase-merge && mkfifo .git/rebase-merge/git-rebase-todo'],
  ])('does not find %s', async (_case, command) => {
    const { root, run, todo } = await open();
    const { notes } = await run(command);
    expect(notes).toEqual([expect.stringMatching(/^\.git\/rebase-merge\S* was renamed to /)]);
    expect([
      existsSync(todo),
      lstatSync(join(root, '.git/rebase-merge'), { throwIfNoEntry: false })?.isSymbolicLink() ?? false,
    ]).toEqual([false, false]);
  });

  it("keeps the person's own commands, and their list cannot be written meanwhile", async () => {
    const { run, outside, todo } = await open();
    outside(`${git} rebase -x 'echo mine' main`);
    const before = readFileSync(todo, 'utf8');
    expect(before).toContain('exec echo mine');
    const tried = await run('echo exec touch pwned >> .git/rebase-merge/git-rebase-todo');
    expect([tried.exitCode === 0, tried.notes]).toEqual([
      false,
      [expect.stringMatching(/^The sandbox changes files in .*a git rebase that runs programs/)],
    ]);
    expect(readFileSync(todo, 'utf8')).toBe(before);
  });

  it('is left alone by file tools', async () => {
    const { root, call } = await open().then(async (world) => ({ ...world, ...(await openShell()) }));
    mkdirSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, 'plain'), '');
    symlinkSync('plain', join(root, 'link'));
    for (const filePath of [
      '.git/rebase-merge/git-rebase-todo',
      '.git/rebase-apply/0001',
      '.git/worktrees/w/rebase-merge/git-rebase-todo',
    ])
      expect([filePath, await call('write_file', { filePath, content: 'exec id' })]).toEqual([
        filePath,
        expect.objectContaining({ isError: true }),
      ]);
  });
});

it.each([
  ['pick 1 one\nreword 2 two\n# exec\n\n', 0],
  ['exec id', 1],
  ['\tx id\npick 1 one', 1],
  ['execute', 1],
  ['break\nnoop\r\nlabel onto\nreset onto\nmerge -C 1 side # side\nupdate-ref refs/heads/a\n', 0],
  ['pick\texec\nb\nbreak x', 1],
])('of the list %j, %i lines run programs or are unknown', (text, dropped) => {
  expect(withoutCommands(text).dropped).toBe(dropped);
});
