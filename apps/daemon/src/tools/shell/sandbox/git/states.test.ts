import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../../../e2e/services.ts';
import { openShell } from '../../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../../test/support/tool-fixture.ts';
import { unsafeEntries } from './states.ts';

const git =
  'git -c user.name=Ada -c user.email=ada@example.org -c init.defaultBranch=main -c core.editor=true';
const commit = (file: string, text: string) =>
  `echo ${text} > ${file} && git add ${file} && ${git} commit --quiet -m ${text}`;

/** `side` has two commits, the first of which does not fit to `main`. */
const open = async () => {
  const folders = makeFolders();
  const { root } = folders;
  const person = (command: string) =>
    spawnSync('/bin/sh', ['-c', command], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, HOME: folders.base, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  person(
    [
      `${git} init --quiet`,
      commit('a', 'one'),
      'git checkout --quiet -b side',
      commit('a', 'two'),
      commit('b', 'last'),
    ]
      .concat('git checkout --quiet main', commit('a', 'three'), 'git checkout --quiet side')
      .join(' && '),
  );
  return { ...(await openShell(folders)), person };
};

/** What a command stops in, in a sandbox, and how the person goes on outside. */
const honest: [string, string, string][] = [
  ['rebase', `${git} rebase main`, `${git} rebase --continue`],
  [
    'rebase with options',
    `${git} rebase -X ignore-space-change -X patience -s ort --signoff main`,
    `${git} rebase --continue`,
  ],
  [
    'rebase of merges, with an autostash',
    `echo x >> b; ${git} rebase --rebase-merges --update-refs --autostash main`,
    `${git} rebase --continue`,
  ],
  ['rebase with patches', `${git} rebase --apply --whitespace=fix -C2 main`, `${git} rebase --continue`],
  [
    'am',
    `git format-patch -q main -o "$TMPDIR/p"; git checkout -q main; ${git} am -3 --whitespace=fix "$TMPDIR"/p/0*`,
    `${git} am --continue`,
  ],
  [
    'cherry-pick',
    `git checkout -q main; ${git} cherry-pick -x -X patience --strategy=ort side~1 side`,
    `${git} cherry-pick --continue`,
  ],
  ['revert', `git checkout -q main; ${git} revert --no-edit side~1 HEAD`, `${git} revert --continue`],
  ['a rebase that starts programs', `${git} rebase -x true main`, `${git} rebase --continue`],
];

const program = `printf '#!/bin/sh\ntouch "${'$PWD'}/pwned"\n' > evil; chmod +x evil; mkdir -p git-merge-x`;
const state = (folder: string, files: Record<string, string>) =>
  [
    `mkdir -p .git/${folder}`,
    ...Object.entries(files).map(([name, text]) => `printf '${text}' > .git/${folder}/${name}`),
  ].join('; ');
const planned = {
  'head-name': 'refs/heads/side\\n',
  onto: "'$(git rev-parse main)'\\n",
  'orig-head': "'$(git rev-parse side)'\\n",
  interactive: '',
  'git-rebase-todo': "pick '$(git rev-parse side)' m\\n",
  done: '',
  end: '1\\n',
  msgnum: '0\\n',
};
const picks = "pick '$(git rev-parse side~1)' m\\npick '$(git rev-parse side)' m\\n";

const attacks: [string, string, string][] = [
  [
    'NG-03 a strategy',
    state('rebase-merge', { ...planned, strategy: 'x/../evil\\n' }),
    `${git} rebase --continue`,
  ],
  [
    'NG-03 a strategy while a rebase has stopped',
    `${git} rebase main; printf 'x/../evil\\n' > .git/rebase-merge/strategy`,
    `echo both > a; git add a; ${git} rebase --continue`,
  ],
  [
    'NG-03 a strategy of picks',
    `git checkout -q main; ${git} cherry-pick side~1 side; printf '[options]\\n\\tstrategy = x/../evil\\n' > .git/sequencer/opts`,
    `echo both > a; git add a; ${git} cherry-pick --continue`,
  ],
  [
    'NG-03 options in another spelling',
    `${state('sequencer', { todo: picks, head: "'$(git rev-parse main)'\\n", opts: '[Options] Strategy="x/../evil" # a\\n' })}; git checkout -q main`,
    `${git} cherry-pick --continue`,
  ],
  [
    'NG-03 a list of picks that starts a program',
    `git checkout -q main; ${git} cherry-pick side~1 side; printf 'exec ./evil\\n' >> .git/sequencer/todo`,
    `echo both > a; git add a; ${git} cherry-pick --continue`,
  ],
];

describeWith('bubblewrap', 'git')('what git keeps of a rebase that has stopped', () => {
  it.each(honest)('an honest %s of a command is continued by the person', async (_name, command, more) => {
    const { root, run, person } = await open();
    const stopped = await run(`${command} || true`);
    const notes = (stopped.notes ?? []).filter((note) => !/line was|lines were/.test(note));
    expect(notes).toEqual([]);
    let last = person('git status --short');
    for (let step = 0; step < 4; step += 1) last = person(`echo both${step} > a; git add a; ${more}`);
    const left = readdirSync(join(root, '.git')).filter((name) => /^(rebase-|sequencer)/.test(name));
    expect([left, last.stderr.includes('CONFLICT')]).toEqual([[], false]);
  });

  it.each(attacks)('%s runs nothing outside', async (_name, command, more) => {
    const { root, run, person } = await open();
    await run(`${program}; ${command}; true`);
    person(`${more} < /dev/null`);
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  it('NG-03 says what it has renamed, and the rest goes on', async () => {
    const { root, run, person } = await open();
    const { notes } = await run(
      `${git} rebase main; echo evil > .git/rebase-merge/strategy; echo x > .git/rebase-merge/other`,
    );
    expect(notes?.toSorted()).toEqual([
      expect.stringMatching(/^\.git\/rebase-merge\/other was renamed to other\.set-aside: /),
      expect.stringMatching(/^\.git\/rebase-merge\/strategy was renamed to strategy\.set-aside: /),
    ]);
    person(`echo both > a; git add a; ${git} rebase --continue`);
    expect(existsSync(join(root, '.git/rebase-merge'))).toBe(false);
  });

  it("keeps the person's own strategy, which a command cannot change", async () => {
    const { root, run, person } = await open();
    person(`${git} rebase main; echo mine > .git/rebase-merge/strategy`);
    const tried = await run('echo evil > .git/rebase-merge/strategy');
    expect([tried.exitCode, readFileSync(join(root, '.git/rebase-merge/strategy'), 'utf8')]).toEqual([
      2,
      'mine\n',
    ]);
  });
});

describe('NG-03 of a state, what is not its own is unsafe:', () => {
  it.each<[string, string, string, boolean]>([
    ['rebase-merge', 'strategy', 'ort\n', true],
    ['rebase-merge', 'strategy', 'mine\n', false],
    ['rebase-merge', 'strategy', 'ort\nmine\n', false],
    ['rebase-merge', 'strategy_opts', " --ignore-space-change --diff-algorithm=patience 'ours'\n", true],
    ['rebase-merge', 'strategy_opts', ' --subtree=a --exec=b\n', false],
    ['rebase-merge', 'gpg_sign_opt', '-S\n', true],
    ['rebase-merge', 'gpg_sign_opt', '-Sada@example.org\n', true],
    ['rebase-merge', 'gpg_sign_opt', '-S/tmp/key\n', false],
    ['rebase-merge', 'author-script', "GIT_AUTHOR_NAME='O'\\''Brien'\nGIT_AUTHOR_DATE='@1 +0000'\n", true],
    ['rebase-merge', 'author-script', "GIT_AUTHOR_NAME='a'; id\n", false],
    ['rebase-merge', 'git-rebase-todo.backup', 'exec id\n', false],
    ['rebase-merge', 'rewritten-list', 'x', true],
    ['rebase-merge', 'hooks', 'x', false],
    ['rebase-apply', '0001', 'From', true],
    ['rebase-apply', 'apply-opt', " '--whitespace=fix' '-C2' '--directory=a b'\n", true],
    ['rebase-apply', 'apply-opt', " '--unsafe-paths'\n", false],
    ['rebase-apply', 'apply-opt', " '--build-fake-ancestor=x'\n", false],
    ['rebase-apply', 'strategy', 'mine', false],
    ['sequencer', 'todo', 'pick 1 a\nrevert 2 b\n', true],
    ['sequencer', 'todo', 'x id\n', false],
    [
      'sequencer',
      'opts',
      '[options]\n\tallow-ff = true\n\tmainline = 1\n\tstrategy = ort\n\tstrategy-option = ours\n',
      true,
    ],
    ['sequencer', 'opts', '[options]\n\tstrategy = mine\n', false],
    ['sequencer', 'opts', '[options]\n\tstrategy = ort\\\nmine\n', false],
    ['sequencer', 'opts', '[include]\n\tpath = x\n', false],
    ['sequencer', 'config', '', false],
  ])('%s/%s with %j: %s', (folder, name, text, isSafe) => {
    const { root } = makeFolders();
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, name), text);
    expect(unsafeEntries(join(root, folder), folder)).toEqual(isSafe ? [] : [name]);
  });

  it.each([
    'rebase-merge/strategy_opts',
    'rebase-apply/apply-opt',
    'sequencer/opts',
    'rebase-merge/author-script',
  ])('a long %s is read in one pass', (path) => {
    const { root } = makeFolders();
    const [folder = '', name = ''] = path.split('/');
    mkdirSync(join(root, folder));
    writeFileSync(join(root, path), `${"'--diff-algorithm=ours'".repeat(30_000)}${"\\'".repeat(100_000)}!`);
    const before = process.cpuUsage();
    expect(unsafeEntries(join(root, folder), folder)).toEqual([name]);
    // Of the processor, in microseconds: another program may be busy.
    expect(process.cpuUsage(before).user).toBeLessThan(5e6);
  });
});
