import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { sharedShell, openShell } from '../../../../test/support/shell-fixture.ts';

const author = '-c user.name=Ada -c user.email=ada@example.org';

/** A repository of the person's, in which `pwned` appears when git runs what a command put there. */
const withRepository = async () => {
  const folders = makeFolders();
  const pwned = join(folders.base, 'pwned');
  const git = (...args: string[]) =>
    spawnSync('git', args, {
      cwd: folders.root,
      encoding: 'utf8',
      env: { ...process.env, HOME: folders.base },
    });
  git('init', '--quiet');
  git('config', 'user.email', 'ada@example.org');
  git('config', 'user.name', 'Ada');
  writeFileSync(join(folders.root, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'one');
  const world = await openShell(folders);
  writeFileSync(join(folders.root, 'evil.sh'), `#!/bin/sh\ntouch "${pwned}"\n`, { mode: 0o755 });
  return { ...world, git, pwned };
};

/** What the person may do in every folder that a command left. */
const everydayGit = (root: string): void => {
  const script = `
    find . -type d -not -path '*/objects/*' -not -path '*/refs/*' -not -path '*/.git/*' | while read -r folder; do (
      cd "$folder"; git status; git add -A; git commit --allow-empty -m new; git fetch --all; git checkout -b new
    ); done`;
  spawnSync('/bin/sh', ['-c', script], { cwd: root, stdio: 'ignore' });
};

describeWith('bubblewrap', 'git')('FS-26 a repository that a command makes', () => {
  const evil = `"$PWD/evil.sh"`;
  const attacks: [string, string][] = [
    ['core.fsmonitor', `git init x; git -C x config core.fsmonitor ${evil}`],
    [
      'core.hooksPath',
      `git init x; mkdir h; cp evil.sh h/post-checkout; git -C x config core.hooksPath "$PWD/h"`,
    ],
    ['a hook', 'git init x; cp evil.sh x/.git/hooks/post-checkout; cp evil.sh x/.git/hooks/pre-commit'],
    ['a template', 'mkdir -p t/hooks; cp evil.sh t/hooks/pre-commit; git init --template=t x'],
    ['settings of a clone', `git clone . x -c core.fsmonitor=${evil} -c core.pager=${evil}`],
    [
      'a rename',
      `git init x; mv x/.git y; printf '[core]\\nfsmonitor=%s\\n' ${evil} >> y/config; mv y x/.git`,
    ],
    [
      'a folder like a bare one',
      `mkdir -p x/objects x/refs; echo ref: refs/heads/m > x/HEAD; printf '[core]\\nworktree=..\\nfsmonitor=%s\\n' ${evil} > x/config`,
    ],
    [
      'a bare one',
      `git init --bare x; git -C x config core.fsmonitor ${evil}; git -C x config core.bare false; git -C x config core.worktree ..`,
    ],
    [
      'an included file',
      `git init x; printf '[core]\\nfsmonitor=%s\\n' ${evil} > inc; git -C x config include.path ../../inc`,
    ],
    [
      'a .git file',
      `git init y; git -C y config core.fsmonitor ${evil}; mv y/.git y/store; mkdir x; echo "gitdir: ../y/store" > x/.git`,
    ],
    ['a separate folder', `git init --separate-git-dir=store x; git -C x config core.fsmonitor ${evil}`],
    [
      'a link',
      `git init y; git -C y config core.fsmonitor ${evil}; mv y/.git y/s; mkdir x; ln -s ../y/s x/.git`,
    ],
    [
      'a common folder',
      `git init y; git -C y config core.fsmonitor ${evil}; mv y/.git y/s; git init x; echo ../../y/s > x/.git/commondir`,
    ],
    [
      'a hard link',
      `git init x; git -C x config a.b c; ln x/.git/config keep; printf '[core]\\nfsmonitor=%s\\n' ${evil} >> keep`,
    ],
    [
      'the settings of a working tree',
      `git worktree add x; echo ../../../y > .git/worktrees/x/commondir; git init --bare y; git -C y config core.fsmonitor ${evil}`,
    ],
    [
      'a submodule folder',
      `git init --bare .git/modules/x; git -C .git/modules/x config core.fsmonitor ${evil}; mkdir x; echo "gitdir: ../.git/modules/x" > x/.git; git -C .git/modules/x config core.worktree ../../../x`,
    ],
    [
      'several lines',
      `git init x; printf '[core]\\\\\\n fsmonitor=%s\\n[core "\\n"]fsmonitor=%s\\n[core]fsmonitor=%s\\n' ${evil} ${evil} ${evil} > x/.git/config`,
    ],
    [
      'a remote with a helper',
      `git init x; git -C x config remote.o.url "ext::${'$PWD'}/evil.sh"; git -C x config protocol.ext.allow always`,
    ],
    [
      'a filter',
      `git init x; git -C x config filter.f.clean ${evil}; echo '* filter=f' > x/.gitattributes; echo x > x/b`,
    ],
  ];

  it('runs nothing of it outside, for any of these', { timeout: 60_000 }, async () => {
    const { root, run, pwned } = await withRepository();
    // Each in its own folder with its own program: the name of the made file tells them apart.
    const texts = attacks.map(
      ([name, command], at) =>
        `mkdir c${at}; sed 's|pwned|pwned ${name}|' evil.sh > c${at}/evil.sh; chmod +x c${at}/evil.sh; (cd c${at}; git init --quiet .; git ${author} commit --quiet --allow-empty -m one; ${command})`,
    );
    await Promise.all([
      run(`${texts.slice(0, 10).join('\n')}; true`),
      run(`${texts.slice(10).join('\n')}; true`),
    ]);
    everydayGit(root);
    expect(readdirSync(join(pwned, '..')).filter((name) => name.startsWith('pwned'))).toEqual([]);
  });

  it('and neither where the root itself had none, nor while the command runs', async () => {
    const folders = makeFolders();
    const pwned = join(folders.base, 'pwned');
    const { root, run } = await openShell(folders);
    writeFileSync(join(root, 'evil.sh'), `#!/bin/sh\ntouch ${pwned}\n`, { mode: 0o755 });
    const running = run(
      `git init; git config core.fsmonitor "$PWD/evil.sh"; cp evil.sh .git/hooks/pre-commit; touch made; while [ ! -e go ]; do sleep 0.02; done`,
    );
    await expect.poll(() => existsSync(join(root, 'made'))).toBe(true);
    everydayGit(root);
    writeFileSync(join(root, 'go'), '');
    const { notes } = await running;
    everydayGit(root);
    expect([existsSync(pwned), readdirSync(join(root, '.git')).includes('hooks.set-aside')]).toEqual([
      false,
      true,
    ]);
    expect(notes?.join('\n')).toMatch(/core\.fsmonitor.*\n.*hooks was renamed to hooks\.set-aside/s);
    expect((await run('git status --short')).exitCode).toBe(0);
  });

  it.each([
    ['commondir', 'mkdir -p e/objects e/refs; echo ../e > .git/commondir'],
    ['hooks', 'rm -rf .git/hooks; mv .git/hooks h; mkdir -p .git/hooks; cp evil.sh .git/hooks/pre-commit'],
    ['config', 'rm -f .git/config; echo x > c; mv c .git/config'],
    ['settings of working trees', 'echo x > .git/config.worktree'],
  ])('keeps %s of the one that is there, also while a command runs', async (_case, command) => {
    const { root, run, git } = await withRepository();
    const before = readdirSync(join(root, '.git')).sort();
    const config = readFileSync(join(root, '.git/config'), 'utf8');
    const running = run(`${command}; touch made; while [ ! -e go ]; do sleep 0.02; done`);
    await expect.poll(() => existsSync(join(root, 'made'))).toBe(true);
    expect(git('status', '--short').status).toBe(0);
    expect(git('rev-parse', '--is-inside-work-tree').stdout).toBe('true\n');
    writeFileSync(join(root, 'go'), '');
    await running;
    expect(
      readdirSync(join(root, '.git'))
        .filter((name) => !name.endsWith('.set-aside'))
        .sort(),
    ).toEqual(before);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(config);
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
  });

  it('stays usable: safe settings are kept, and what is not is named', async () => {
    const { root, run } = await withRepository();
    const made = await run(
      `git clone . copy && git -C copy config alias.st status && git -C copy ${author} commit --allow-empty -m two`,
    );
    expect([made.exitCode, made.notes]).toEqual([
      0,
      ['From copy/.git/config settings were removed that a command may not make: alias.st.'],
    ]);
    expect(readFileSync(join(root, 'copy/.git/config'), 'utf8')).toMatch(
      /\[remote "origin"\]\n\turl = .*\n\tfetch = \+refs/,
    );
    const again = await run(
      'git -C copy pull --quiet && git -C copy status && git -C copy config alias.st status',
    );
    expect(again).toMatchObject({
      exitCode: 4,
      notes: [expect.stringMatching('cannot change the settings of a git repository')],
    });
  });
});

describeWith('bubblewrap')('FS-26 names that programs read', () => {
  const shell = sharedShell();

  it.each([
    '.mcp.json',
    '.envrc',
    '.gitmodules',
    '.bashrc',
    'sub/.vscode/tasks.json',
    'sub/.mcp.json',
    '.ssh/config',
  ])('%s is renamed when the command has ended, and the result says so', async (path) => {
    const { root, run } = shell();
    const { notes } = await run(`mkdir -p "$(dirname ${path})"; echo x > ${path}`);
    expect(existsSync(join(root, path))).toBe(false);
    expect(notes).toEqual([
      expect.stringMatching(/ was renamed to .*\.set-aside: it makes other programs run things/),
    ]);
  });

  it.each(['.vscode/settings.json', '.claude/settings.json', '.cursor/mcp.json', '.idea/workspace.xml'])(
    '%s cannot be made at all',
    async (path) => {
      const { root, run } = shell();
      const made = await run(`mkdir -p "$(dirname ${path})"; echo x > ${path}`);
      expect([made.exitCode, made.notes?.length, readdirSync(root)]).toEqual([2, 1, []]);
    },
  );

  it('a link is again what it was', async () => {
    const folders = makeFolders();
    mkdirSync(join(folders.root, 'settings'));
    symlinkSync('settings', join(folders.root, '.vscode'));
    const { root, run } = await openShell(folders);
    await run('rm .vscode; mkdir .vscode; echo x > .vscode/tasks.json; echo x > settings/tasks.json; true');
    expect([readdirSync(join(root, '.vscode')), readdirSync(join(root, 'settings'))]).toEqual([[], []]);
    expect(existsSync(join(root, '.vscode.set-aside/tasks.json'))).toBe(true);
  });

  it('two commands at once do not take each other for what was there before', async () => {
    const { root, run } = shell();
    const first = run(
      'mkdir -p a/.vscode; echo x > a/.vscode/s; touch made; while [ ! -e one ]; do sleep 0.02; done',
    );
    await expect.poll(() => existsSync(join(root, 'made'))).toBe(true);
    const second = run(
      'touch began; while [ ! -e two ]; do sleep 0.02; done; mkdir -p a/.vscode; echo x > a/.vscode/t',
    );
    await expect.poll(() => existsSync(join(root, 'began'))).toBe(true);
    writeFileSync(join(root, 'one'), '');
    await first;
    writeFileSync(join(root, 'two'), '');
    await second;
    expect(readdirSync(join(root, 'a')).filter((name) => name === '.vscode')).toEqual([]);
  });
});
