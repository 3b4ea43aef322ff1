import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { textOf } from '../../../../test/support/tool-fixture.ts';
import { sharedShell } from '../../../../test/support/shell-fixture.ts';

const identity = '-c user.name=A -c user.email=a@example.org -c init.defaultBranch=main';
const git = (root: string, text: string) => {
  const ended = spawnSync('/bin/sh', ['-c', text.replaceAll('git ', `git ${identity} `)], { cwd: root });
  expect([text, ended.status]).toEqual([text, 0]);
};
const put = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};
/** As editors and git save. */
const replace = (path: string, text: string) => {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};
const fill = (root: string) => {
  git(root, 'git init --quiet && git commit --quiet --allow-empty -m one');
  for (const name of ['.envrc', 'lefthook.yml', 'sub/.mcp.json', '.zed/settings.json', 'denied.txt'])
    put(join(root, name), 'own\n');
};

const appears = (path: string) => expect.poll(() => existsSync(path), { timeout: 30_000 }).toBe(true);
/** Tries it until it succeeds, and goes on. */
const insist = (attack: string) =>
  `touch began; while :; do if (${attack}) 2> /dev/null; then touch won; fi; sleep 0.005; done`;

type World = ReturnType<ReturnType<typeof sharedShell>>;
/** What another program does meanwhile, what the command tries all the time, and the path of the note. */
const attacks: [string, (world: World, at: (name: string) => string) => unknown, string, string][] = [
  [
    'git config',
    ({ root }) => git(root, 'git config user.nickname x'),
    'printf "[core]\\n\\tfsmonitor = ./evil\\n" >> .git/config',
    '.git/config',
  ],
  [
    'git remote add',
    ({ root }) => git(root, 'git remote add o https://example.org/x'),
    'mv .git/config .git/other',
    '.git/config',
  ],
  ['an editor', (_, at) => replace(at('.envrc'), 'new\n'), 'echo evil >> .envrc', '.envrc'],
  [
    'a file tool',
    async ({ call, settings }, at) => {
      await settings.addRules('allow', [{ toolGroup: 'filesystemWrite', resource: at('lefthook.yml') }]);
      const written = await call('write_file', { filePath: 'lefthook.yml', content: 'new\n' });
      expect([textOf(written), written.isError]).toEqual([expect.any(String), undefined]);
    },
    'echo evil >> lefthook.yml',
    'lefthook.yml',
  ],
  [
    'a removed and remade folder',
    (_, at) => {
      rmSync(at('.zed'), { recursive: true });
      put(at('.zed/settings.json'), 'new\n');
    },
    'echo evil >> .zed/settings.json',
    '.zed',
  ],
  [
    'new hooks',
    (_, at) => {
      rmSync(at('.git/hooks'), { recursive: true });
      mkdirSync(at('.git/hooks'));
    },
    'echo evil >> .git/hooks/pre-commit',
    '.git/hooks',
  ],
  [
    'a removed stand-in',
    (_, at) => rmdirSync(at('.vscode')),
    'mkdir .vscode; echo evil >> .vscode/tasks.json',
    '.vscode',
  ],
  [
    'another folder above',
    (_, at) => {
      renameSync(at('sub'), at('moved'));
      put(at('sub/.mcp.json'), 'new\n');
    },
    'echo evil >> sub/.mcp.json',
    'sub',
  ],
  ['a file that is gone', (_, at) => rmSync(at('.envrc')), 'echo evil >> .envrc', '.envrc'],
  [
    'a file denied to reading',
    (_, at) => replace(at('denied.txt'), 'new\n'),
    'grep new denied.txt',
    'denied.txt',
  ],
];

describeWith('bubblewrap', 'git')('NG-19b a protected path that another program replaces', () => {
  const shell = sharedShell();

  it.each(attacks)('ends the command that runs: %s', async (_case, act, attack, path) => {
    const world = shell();
    const { root, run, settings } = world;
    const at = (name: string) => join(root, name);
    fill(root);
    await settings.addRules('deny', [{ toolGroup: 'filesystemRead', resource: at('denied.txt') }]);
    const running = run(insist(attack), { timeout: 20_000 });
    await appears(at('began'));
    expect(existsSync(at('won'))).toBe(false);
    await act(world, at);
    const { exitCode, notes = [] } = await running;
    expect([exitCode, notes.filter((note) => note.startsWith(`${path} was replaced`))]).toEqual([
      137,
      [expect.stringContaining('the command was stopped')],
    ]);
    const config = readFileSync(at('.git/config'), 'utf8');
    expect(config).toMatch(/^\[core\](?!.*fsmonitor)/s);
  });

  it('the settings of git that the person added meanwhile stay where they are safe, and else are put aside', async () => {
    const { root, run } = shell();
    const at = (name: string) => join(root, name);
    fill(root);
    const change = async (text: string) => {
      const running = run('touch began; sleep 20');
      await appears(at('began'));
      git(root, text);
      const { notes = [] } = await running;
      rmSync(at('began'));
      return notes.filter((note) => !note.includes('was replaced'));
    };
    git(root, 'git config core.editor "vi # \\\"x\\\""');
    expect(await change('git remote add o https://example.org/x && git config branch.main.remote o')).toEqual(
      [],
    );
    const safe = readFileSync(at('.git/config'), 'utf8');
    expect(safe).toMatch(/editor = .*\[remote "o"\].*\[branch "main"\]/s);
    expect(await change('git config core.pager ./evil')).toEqual([
      expect.stringMatching(/^\.git\/config was renamed to config\.set-aside: /),
    ]);
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(safe);
    expect(readFileSync(at('.git/config.set-aside'), 'utf8')).toContain('./evil');
  });

  it.each([
    ['a commit', ({ root }: World) => git(root, 'git commit --quiet --allow-empty -m two && git branch b')],
    ['a change in place', ({ root }: World) => appendFileSync(join(root, '.envrc'), 'more\n')],
    ['a file beside', ({ root }: World) => replace(join(root, 'sub/other.txt'), 'new\n')],
    [
      'the end of another command that made a repository',
      async ({ root, run }: World) => {
        const cloned = await run(
          'git clone --quiet . copy && touch cloned; until [ -e late ]; do sleep 0.02; done',
        );
        expect([cloned.exitCode, existsSync(join(root, 'copy/.git/config'))]).toEqual([0, true]);
      },
    ],
  ])('%s leaves a command at work', async (_case, act) => {
    const world = shell();
    const { root, run } = world;
    fill(root);
    const acting = _case.startsWith('the end') ? act(world) : undefined;
    if (acting !== undefined) await appears(join(root, 'cloned'));
    const running = run(
      'touch began; until [ -e go ]; do sleep 0.02; done; sleep 0.1; echo x >> .envrc; echo x >> sub/.mcp.json; echo over',
    );
    await appears(join(root, 'began'));
    writeFileSync(join(root, 'late'), '');
    await (acting ?? act(world));
    writeFileSync(join(root, 'go'), '');
    const { stdout, exitCode, notes = [] } = await running;
    expect([stdout, exitCode, notes.filter((note) => note.includes('was replaced'))]).toEqual([
      'over\n',
      0,
      [],
    ]);
    expect(
      [readFileSync(join(root, '.envrc'), 'utf8'), readFileSync(join(root, 'sub/.mcp.json'), 'utf8')].join(),
    ).not.toContain('x');
  });
});
