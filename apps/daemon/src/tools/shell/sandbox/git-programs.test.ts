import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { attacks, begin, change, script, type Attack } from '../../../../test/support/git/attacks.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';

/** Runs as the person, with the home folder of the test. */
const asPerson = (command: string, cwd: string, home: string) =>
  spawnSync('/bin/sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: process.env['PATH'], HOME: home, GIT_TERMINAL_PROMPT: '0', GIT_EDITOR_OFF: '1' },
  });

const useHome = (home: string): void => {
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  onTestFinished(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  });
};

const open = (name: string) => {
  const folders = makeFolders();
  const home = join(folders.base, name);
  mkdirSync(home);
  useHome(home);
  const identity = '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n';
  writeFileSync(join(home, '.gitconfig'), identity);
  return { ...folders, home, person: (command: string, cwd = folders.root) => asPerson(command, cwd, home) };
};
type World = ReturnType<typeof open>;

/** Sets all up, runs all commands in one, lets the person work; gives the names of what ran. */
const ranOf = async (world: World, cases: Attack[], run: (command: string) => Promise<unknown>) => {
  writeFileSync(
    join(world.root, 'evil'),
    `#!/bin/sh\ntouch "${world.base}/ran-$(pwd | grep -o '/c[0-9]*' | head -1 | tr -d /)"\ntimeout 1 cat\n`,
    { mode: 0o755 },
  );
  for (const [at, [, setUp]] of cases.entries()) {
    const done = world.person(
      `mkdir c${at}; cd c${at}; ${begin}; { ${setUp}; }; git add -A; git commit -qm set-up`,
    );
    expect(done.error).toBeUndefined();
  }
  for (const name of readdirSync(world.base))
    if (name.startsWith('ran-')) throw new Error(`${name} ran in the set-up`);
  await run(cases.map(([, , command], at) => `(cd c${at}; ${command})`).join('\n'));
  for (const [at, [, , , person]] of cases.entries())
    world.person(`{ ${person}; } < /dev/null`, join(world.root, `c${at}`));
  return readdirSync(world.base)
    .filter((name) => name.startsWith('ran-c'))
    .map((name) => cases[Number(name.slice(5))]?.[0] ?? name);
};

/** Settings that are not those of a repository in the root; `evil` is what a command puts where they lead. */
const elsewhere: [string, (world: World) => string, string, string][] = [
  [
    'NG-01 hooksPath of the home folder',
    ({ home, root, person }) => {
      person(`${begin}; mkdir hooks; git config --global core.hooksPath "${root}/hooks"`);
      return home;
    },
    'cp evil hooks/post-commit',
    change,
  ],
  [
    'NG-02 a file of settings of the home folder is a link into the root',
    ({ home, root, person }) => {
      person(`${begin}; mkdir dot; mv "${home}/.gitconfig" dot/gitconfig`);
      symlinkSync(join(root, 'dot/gitconfig'), join(home, '.gitconfig'));
      return home;
    },
    `printf '[core]\\nfsmonitor=%s\\n' "$PWD/evil" >> dot/gitconfig`,
    'git status',
  ],
  [
    'NG-01 a repository above the root',
    ({ base, person }) => {
      person(`${begin}; git config core.hooksPath root/hooks; mkdir root/hooks`, base);
      return base;
    },
    'cp evil hooks/post-commit',
    'git commit -q --allow-empty -m x',
  ],
  [
    'NG-01 the root is a working tree of a repository elsewhere',
    ({ outside, root, person }) => {
      person(`${begin}; git worktree add -q "${root}/tree"; git config core.hooksPath hooks`, outside);
      return root;
    },
    'mkdir tree/hooks; cp evil tree/hooks/post-commit',
    'cd tree; git commit -q --allow-empty -m x',
  ],
  [
    'NG-02 settings of one working tree',
    ({ root, person }) => {
      person(`${begin}; git worktree add -q tree; git config extensions.worktreeConfig true`);
      person('git config --worktree core.fsmonitor ./watch; touch watch', join(root, 'tree'));
      return root;
    },
    'cp evil tree/fresh; mv -f tree/fresh tree/watch',
    'cd tree; git status',
  ],
];

/** What honest commands do where such settings are there. */
const honest: [string, string, string][] = [
  [
    'the output of an alias',
    `git config alias.notes '!git log > CHANGELOG.md'; touch CHANGELOG.md`,
    'echo x >> CHANGELOG.md',
  ],
  [
    'the arguments of an alias',
    `mkdir src; touch src/a.js; git config alias.d 'diff -- src/a.js'`,
    'echo x >> src/a.js',
  ],
  [
    'a repository that is a remote',
    'git init -q --bare up.git; git config remote.o.url ./up.git',
    'git push -q o HEAD:main',
  ],
  [
    'lists of names',
    'touch .ig .revs; git config core.excludesFile .ig; git config blame.ignoreRevsFile .revs',
    'echo x >> .ig; echo >> .revs',
  ],
  [
    'names of programs',
    `git config core.editor 'code --wait'; git config core.pager less; mkdir code`,
    'echo x > code/a; echo x > less; test -e less',
  ],
  [
    'what stands beside a filter',
    `git config filter.x.clean ./tools/clean.sh; ${script('tools/clean.sh')}; echo '* filter=x' > .gitattributes`,
    'echo x > tools/other.sh; echo y >> a.txt; git add -A; git diff --cached --stat | grep -q a.txt',
  ],
  [
    'folders of an alias',
    `mkdir web; touch web/index.js; git config alias.t '!cd web && npm test'`,
    `echo '{}' > web/package.json; echo x > web/index.js`,
  ],
];

describeWith(
  'bubblewrap',
  'git',
  'python3',
)('programs that the configuration of git names', () => {
  it(`a command cannot change them, in ${attacks.length} ways`, { timeout: 120_000 }, async () => {
    const world = open('home');
    const { run } = await openShell(world);
    expect(await ranOf(world, attacks, run)).toEqual([]);
  });

  it.each(elsewhere)('%s', async (_name, setUp, command, person) => {
    const world = open('home');
    const folder = setUp(world);
    const pwned = join(world.base, 'pwned');
    writeFileSync(join(world.root, 'evil'), `#!/bin/sh\ntouch "${pwned}"\n`, { mode: 0o755 });
    const { run } = await openShell(world);
    await run(command);
    world.person(person, folder === world.home ? world.root : folder);
    expect(existsSync(pwned)).toBe(false);
  });

  it('NG-60 this program, where it lies in the root, is kept too', async () => {
    const world = open('home');
    const [script = '', before] = [join(world.root, 'dist/cli.cjs'), process.argv[1] ?? ''];
    mkdirSync(join(world.root, 'dist'));
    writeFileSync(script, 'mine');
    process.argv[1] = script;
    onTestFinished(() => void (process.argv[1] = before));
    const { run } = await openShell(world);
    await run('echo evil > dist/cli.cjs; echo evil > dist/lib.cjs; mv dist other');
    expect(readdirSync(world.root)).toEqual(['dist']);
    expect([readdirSync(join(world.root, 'dist')), readFileSync(script, 'utf8')]).toEqual([
      ['cli.cjs'],
      'mine',
    ]);
  });

  it('honest commands beside them work as before', { timeout: 60_000 }, async () => {
    const world = open('home');
    const { run } = await openShell(world);
    for (const [at, [, setUp]] of honest.entries())
      world.person(`mkdir c${at}; cd c${at}; ${begin}; ${setUp}`);
    const failed: unknown[] = [];
    for (const [at, [name, , command]] of honest.entries()) {
      const { exitCode, stderr, notes = [] } = await run(command, { cwd: `c${at}` });
      const others = notes.filter((note) => !note.startsWith('Changed, and'));
      if (exitCode !== 0 || others.length > 0) failed.push({ name, stderr, others });
    }
    expect(failed).toEqual([]);
  });
});
