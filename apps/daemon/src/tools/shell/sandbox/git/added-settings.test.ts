import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../../e2e/services.ts';
import { hostileSettings } from '../../../../../test/support/git/hostile-settings.ts';
import { sharedShell } from '../../../../../test/support/shell-fixture.ts';

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main'];
const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', [...identity, ...words], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const settingOf = (cwd: string, name: string): string =>
  spawnSync('git', ['config', '--local', name], { cwd, encoding: 'utf8' }).stdout.trim();

/** Goes to where the command writes settings of a repository. */
const toPlace = (name = 'work') =>
  `ROOT=$PWD/${name}; for one in "$DRAWBRIDGE_GIT_SETTINGS"/[0-9]*; do [ "$one/repository" -ef ${name}/.git ] && place=$one; done; cd "$place"`;

describeWith('bubblewrap', 'git')('settings that a command adds to a repository', () => {
  const shell = sharedShell();
  /** A repository with the remote `origin`, which has the branches main and topic. */
  const world = () => {
    const all = shell();
    const { root } = all;
    for (const name of ['host.git', 'work']) mkdirSync(join(root, name));
    git(join(root, 'host.git'), 'init', '-q', '--bare');
    const work = join(root, 'work');
    git(work, 'init', '-q');
    git(work, 'remote', 'add', 'origin', join(root, 'host.git'));
    git(work, 'commit', '-q', '--allow-empty', '-m', 'one');
    git(work, 'push', '-q', 'origin', 'main', 'main:topic', 'main:later');
    git(work, 'fetch', '-q');
    return {
      ...all,
      work,
      config: () => readFileSync(join(work, '.git/config'), 'utf8'),
      setting: (name: string) => settingOf(work, name),
    };
  };

  /** What it is, the command, settings that it adds, and the last line that it prints. */
  const everyday: [string, string, Record<string, string>, string][] = [
    [
      'git push -u',
      'git checkout -qb mine && git push -qu origin mine && git status -sb',
      { 'branch.mine.remote': 'origin', 'branch.mine.merge': 'refs/heads/mine' },
      '## mine...origin/mine',
    ],
    [
      'git remote add',
      'git remote add up https://example.org/x.git && git remote get-url up',
      { 'remote.up.url': 'https://example.org/x.git', 'remote.up.fetch': '+refs/heads/*:refs/remotes/up/*' },
      'https://example.org/x.git',
    ],
    [
      'git branch -u',
      'git branch -qu origin/topic && git rev-parse --abbrev-ref @{u}',
      { 'branch.main.remote': 'origin', 'branch.main.merge': 'refs/heads/topic' },
      'origin/topic',
    ],
    [
      'git config user.name',
      'git config user.name "Ada \\"L\\" # x" && git config user.name',
      { 'user.name': 'Ada "L" # x' },
      'Ada "L" # x',
    ],
    [
      'git checkout of a branch of the host',
      'git checkout -q topic && git rev-parse --abbrev-ref @{u}',
      { 'branch.topic.remote': 'origin', 'branch.topic.merge': 'refs/heads/topic' },
      'origin/topic',
    ],
    [
      'git checkout -t',
      'git checkout -qt origin/later && git rev-parse --abbrev-ref @{u}',
      { 'branch.later.remote': 'origin' },
      'origin/later',
    ],
    [
      'git checkout -b --track',
      'git checkout -qb x --track origin/later && git rev-parse --abbrev-ref @{u}',
      { 'branch.x.merge': 'refs/heads/later' },
      'origin/later',
    ],
    [
      'git switch -c of a start',
      'git switch -qc y origin/topic && git rev-parse --abbrev-ref @{u}',
      { 'branch.y.merge': 'refs/heads/topic' },
      'origin/topic',
    ],
    [
      'git branch with a start',
      'git branch -q z origin/topic && git rev-parse --abbrev-ref z@{u}',
      { 'branch.z.merge': 'refs/heads/topic' },
      'origin/topic',
    ],
    [
      'in another folder, with a setting for once',
      'at=$PWD && cd .. && git -C "$at" -c color.ui=false branch -qu origin/topic && git -C "$at" rev-parse --abbrev-ref @{u}',
      { 'branch.main.merge': 'refs/heads/topic' },
      'origin/topic',
    ],
    [
      'a new remote, with tracking',
      'git remote add up https://example.org/x && g() { git -c "url.$PWD/../host.git.insteadOf=https://example.org/x" "$@"; } && g fetch -q up && git checkout -qb new && g push -qu up new && git rev-parse --abbrev-ref @{u}',
      { 'branch.new.merge': 'refs/heads/new', 'branch.new.remote': 'up' },
      'up/new',
    ],
    [
      'in a worktree',
      'git worktree add -q ../tree -b t && cd ../tree && git branch -qu origin/topic && git rev-parse --abbrev-ref @{u}',
      { 'branch.t.merge': 'refs/heads/topic' },
      'origin/topic',
    ],
  ];

  it(`SU-23, SU-28 ${everyday.length} everyday commands add what they set`, async () => {
    const { run, root, work } = world();
    for (const at of everyday.keys()) cpSync(work, join(root, `w${at}`), { recursive: true });
    rmSync(work, { recursive: true });
    const { stdout, notes } = await run(
      everyday
        .map(
          ([, command], at) =>
            `(cd w${at} && ${command}) > out 2>&1; echo "$? $(tail -n 1 out) $(grep -cE 'error|warning|fatal' out)"`,
        )
        .join('\n'),
    );
    expect(stdout.trim().split('\n')).toEqual(everyday.map(([, , , last]) => `0 ${last} 0`));
    const found = everyday.map(([name, , expected], at) => [
      name,
      Object.fromEntries(Object.keys(expected).map((key) => [key, settingOf(join(root, `w${at}`), key)])),
    ]);
    expect(found).toEqual(everyday.map(([name, , expected]) => [name, expected]));
    expect(notes?.every((note) => note.startsWith('Added to w'))).toBe(true);
  });

  it('SU-28 git submodule update --init, in a repository that is there', async () => {
    const { run, work, setting } = world();
    git(work, '-c', 'protocol.file.allow=always', 'clone', '-q', '../host.git', 'sub');
    git(work, 'config', '-f', '.gitmodules', 'submodule.sub.path', 'sub');
    git(work, 'config', '-f', '.gitmodules', 'submodule.sub.url', '../host.git');
    git(work, 'add', '.gitmodules', 'sub');
    git(work, 'commit', '-qm', 'sub');
    rmSync(join(work, 'sub'), { recursive: true });
    const command =
      'cd work && git -c protocol.file.allow=always submodule -q update --init && git -C sub log --format=%s';
    const { exitCode, stdout, stderr } = await run(command);
    expect([exitCode, stdout, stderr]).toEqual([0, 'one\n', '']);
    expect([setting('submodule.sub.active'), setting('submodule.sub.url')]).toEqual([
      'true',
      expect.stringMatching(/host\.git$/),
    ]);
    expect(git(join(work, 'sub'), 'log', '--format=%s')).toBe('one\n');
  });

  it('a submodule is not added, with what the person can do; a worktree is, and works', async () => {
    const { run, work, root } = world();
    const { exitCode, stderr, notes } = await run('cd work && git submodule -q add ../host.git sub');
    expect([exitCode, stderr, notes]).toEqual([
      128,
      expect.stringMatching(
        /cannot add a submodule: .*\nAsk the user to run: git submodule -q add \.\.\/host\.git sub\n$/,
      ),
      undefined,
    ]);
    expect(['.gitmodules', 'sub', '.git/modules'].map((name) => existsSync(join(work, name)))).toEqual([
      false,
      false,
      false,
    ]);
    const added = await run(
      'cd work && git worktree add -q ../tree topic && cd ../tree && git -c user.name=a -c user.email=b commit -q --allow-empty -m two && git worktree list',
    );
    expect([added.exitCode, added.notes]).toEqual([0, [expect.stringContaining('branch.topic.')]]);
    expect(git(join(root, 'tree'), 'log', '--format=%s')).toBe('two\none\n');
    expect((await run('cd work && git worktree remove ../tree && git worktree list')).stdout).not.toContain(
      'tree',
    );
  });

  it('SU-29 a commit runs the hook that the person installed', async () => {
    const { run, work } = world();
    writeFileSync(join(work, '.git/hooks/pre-commit'), '#!/bin/sh\necho ran > hook.txt\n', { mode: 0o755 });
    const { exitCode, notes } = await run(
      'cd work && git -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -m two && cat hook.txt',
    );
    expect([exitCode, notes]).toEqual([0, undefined]);
  });

  it('SH-83 what makes git run something, or leads it elsewhere, is not added', async () => {
    const { run, root, work, config, base, setting } = world();
    git(work, 'branch', '-q', '-u', 'origin/main');
    const before = config();
    const canary = join(base, 'ran');
    writeFileSync(join(work, 'evil'), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    const evil = `${work}/evil`;
    writeFileSync(join(work, 'hostile'), hostileSettings({ evil, work, host: join(root, 'host.git') }));
    writeFileSync(join(work, 'more'), `[core]\n\tfsmonitor = ${evil}\n`);
    const { notes, exitCode } = await run(`${toPlace()} && cat "$ROOT/hostile" >> config`);
    expect(exitCode).toBe(0);
    expect(config().startsWith(before)).toBe(true);
    expect(config().slice(before.length)).toBe(
      '[remote "over"]\n\turl = "https://example.org/x"\n[branch "later"]\n\tdescription = "x"\n[user]\n\temail = "ada@example.org"\n',
    );
    expect(notes?.join('\n')).toMatch(
      /^Not added to work\/\.git\/config.*: core\.fsmonitor, .*\nAdded to work\/\.git\/config: remote\.over\.url = /,
    );
    rmSync(join(work, 'hostile'));
    for (const command of ['status', 'fetch -q', 'commit -q -am x', 'log -1', 'diff', 'push -q origin main'])
      spawnSync('git', [...identity, ...command.split(' ')], { cwd: work });
    expect([existsSync(canary), setting('core.fsmonitor')]).toEqual([false, '']);
  });

  const replacements: [string, string, string][] = [
    ['a link', 'rm config; ln -s /etc/passwd config', ''],
    ['a named pipe', 'rm config; mkfifo config', ''],
    ['a folder', 'rm config; mkdir config', ''],
    [
      'too long a file',
      `head -c 100000 /dev/zero | tr '\\0' '#' >> config; printf '\\n[user]\\nname = x\\n' >> config`,
      '',
    ],
    ['nothing', 'cd ..; rm -r "$place"', ''],
    [
      'a link above it',
      'cd ..; mv "$place" "$ROOT/other"; printf "[user]\\nname = x\\n" > "$ROOT/other/config"; ln -s "$ROOT/other" "$place"',
      '',
    ],
    [
      'more than 100 settings',
      'for at in $(seq 120); do printf \'[remote "r%s"]\\nurl = https://example.org\\n\' $at; done >> config',
      Array.from({ length: 100 }, (_, at) => `[remote "r${at + 1}"]\n\turl = "https://example.org"\n`).join(
        '',
      ),
    ],
  ];

  it(`SH-83 ${replacements.length} other things in the place of what was added add no more than that`, async () => {
    const { run, root, work, config } = world();
    const before = config();
    for (const at of replacements.keys()) cpSync(work, join(root, `w${at}`), { recursive: true });
    const { stdout } = await run(
      replacements.map(([, command], at) => `(${toPlace(`w${at}`)} && { ${command}; }); echo $?`).join('\n'),
    );
    expect(stdout.trim().split('\n')).toEqual(replacements.map(() => '0'));
    const found = replacements.map(([name], at) => [
      name,
      readFileSync(join(root, `w${at}/.git/config`), 'utf8'),
    ]);
    expect(found).toEqual(replacements.map(([name, , added]) => [name, before + added]));
  });

  it('SH-83 only known names can be set; others are refused with a reason', async () => {
    const { run, config } = world();
    const before = config();
    const tries = [
      'config core.hooksPath x',
      'config core.fsmonitor x',
      `config alias.x '!x'`,
      'config --unset remote.origin.url',
      'remote set-url origin x',
      'remote remove origin',
      'config remote.origin.url x',
    ];
    const { stdout, notes } = await run(
      `cd work; ${tries.map((one) => `git ${one}; echo $?`).join('; ')}; exit 1`,
    );
    expect(stdout.trim().split('\n').includes('0')).toBe(false);
    expect(notes?.[0]).toMatch(/^A command in the sandbox cannot change the settings/);
    expect(config()).toBe(before);
  });

  it('SH-83 another command at work goes on, and a locked config is left alone', async () => {
    const { run, work, config, setting } = world();
    const first = run(
      'cd work; touch begun; while [ ! -e go ]; do sleep 0.05; done; git config --get user.name',
    );
    await expect.poll(() => existsSync(join(work, 'begun'))).toBe(true);
    await run('cd work && git config user.name x');
    expect(setting('user.name')).toBe('x');
    writeFileSync(join(work, 'go'), '');
    expect([(await first).exitCode, (await first).stdout]).toEqual([0, 'x\n']);
    const before = config();
    writeFileSync(join(work, '.git/config.lock'), '');
    const { notes } = await run('cd work && git config user.email x@example.org');
    expect([config(), notes?.join()]).toEqual([
      before,
      expect.stringMatching(/^Nothing was added to work\/\.git\/config/),
    ]);
  });

  it('SH-83 to a config that another program replaced meanwhile nothing is added', async () => {
    const { run, work, setting } = world();
    const first = run('cd work; git config user.name x; touch begun; sleep 60', { timeout: 60_000 });
    await expect.poll(() => existsSync(join(work, 'begun'))).toBe(true);
    git(work, 'config', 'user.email', 'y');
    expect((await first).exitCode).toBe(137);
    expect([setting('user.name'), setting('user.email')]).toEqual(['', 'y']);
  });

  // The last: its rule stays.
  it('SH-83 nothing is added where a rule denies writing', async () => {
    const { run, settings, work, config } = world();
    const before = config();
    await settings.addRules('deny', [{ toolGroup: 'filesystemWrite', resource: work }]);
    expect((await run('cd work; git config user.name x')).exitCode).not.toBe(0);
    expect(config()).toBe(before);
  });
});
