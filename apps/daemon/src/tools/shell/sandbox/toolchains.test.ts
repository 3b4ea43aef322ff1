import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';
import { file, fillHome, link, program } from '../../../../test/support/home/stand-in-home.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { setVariables } from '../../../../test/support/home/config.ts';

/** A command that prints those of the files whose text it reads. */
const readable = (paths: readonly string[]): string =>
  `for f in ${paths.map((path) => `'${path}'`).join(' ')}; do grep -l sesame "$f" 2> /dev/null; done; true`;

const openWorld = async (variables: (home: string) => Record<string, string> = () => ({})) => {
  const folders = makeFolders();
  const home = join(folders.base, 'home');
  mkdirSync(home);
  const filled = fillHome(home);
  setVariables({ HOME: home, PATH: [...filled.path, process.env['PATH']].join(':'), ...variables(home) });
  return { home, ...filled, ...(await openShell(folders)) };
};

describeWith('bubblewrap')('toolchains in the home folder', () => {
  const world = shared(() => openWorld());

  it('each program runs as it does outside, with what it needs behind shims and links', async () => {
    const { made, run } = world();
    const differences: unknown[] = [];
    for (const [name, says] of made) {
      const outside = spawnSync(name, { encoding: 'utf8' });
      const { exitCode, stdout, stderr } = await run(name);
      if (outside.stdout !== says || stdout !== says || exitCode !== 0)
        differences.push({ name, says, outside: outside.stdout, stdout, stderr });
    }
    expect(differences).toEqual([]);
  });

  it('NG-05: none of their credentials is read, and none of what stands beside', async () => {
    const { credentials, run } = world();
    const { stdout } = await run(readable(credentials));
    expect(stdout).toBe('');
  });

  it('nothing of them is changed', async () => {
    const { home, run } = world();
    const { stdout } = await run(
      `for f in .cargo/bin .nvm/versions .pyenv/shims bin; do (echo x > "$HOME/$f/written") 2> /dev/null && echo "$f"; done; true`,
    );
    expect(stdout).toBe('');
    expect(spawnSync('find', [home, '-name', 'written'], { encoding: 'utf8' }).stdout).toBe('');
  });

  it.each<[string, (home: string) => Record<string, string>]>([
    ['PATH with the home itself', (home) => ({ PATH: `${home}:/usr/bin:/bin` })],
    [
      'PATH with the home by a link',
      (home) => ({ PATH: `${link(join(home, '../way'), home)}:/usr/bin:/bin` }),
    ],
    ['PATH with the disk', () => ({ PATH: '/:/usr/bin:/bin' })],
    ['PATH with the current folder and the folder above', () => ({ PATH: '.:..::/usr/bin:/bin' })],
    [
      'PATH with ~/.local/share and ~/.config',
      (home) => ({ PATH: `${home}/.local/share:${home}/.config:/usr/bin:/bin` }),
    ],
    ['PATH with the folder of a project', (home) => ({ PATH: `${home}/projects/a:/usr/bin:/bin` })],
    [
      'PATH with bin of a project',
      (home) => ({
        PATH: `${program(join(home, 'projects/a/bin/x'), '')}/..:/usr/bin:/bin`.replace('/x/..', ''),
      }),
    ],
    [
      'a variable that names the home',
      (home) => ({ NVM_DIR: home, PNPM_HOME: home, GOPATH: home, CARGO_HOME: home, JAVA_HOME: home }),
    ],
    [
      'a variable that names the disk',
      () => ({ PYENV_ROOT: '/', COREPACK_HOME: '/', UV_TOOL_DIR: '/', MAMBA_ROOT_PREFIX: '/' }),
    ],
    [
      'a program that is a link to a secret file',
      (home) => ({
        PATH: `${link(join(home, 'tools/bin/x'), '../../notes')}/..:/usr/bin:/bin`.replace('/x/..', ''),
      }),
    ],
  ])('NG-05: %s opens nothing beside', async (_case, variables) => {
    const { credentials, run } = await openWorld(variables);
    const { stdout } = await run(readable(credentials));
    expect(stdout).toBe('');
  });

  it.each<[string, (at: { root: string; home: string }) => Record<string, string>]>([
    [
      'a link in PATH to a tool in the shared folder',
      ({ root, home }) => {
        link(join(home, '.local/bin/mine'), join(root, 'tool'));
        return { PATH: `${home}/.local/bin:/usr/bin:/bin` };
      },
    ],
    ['a variable that names a folder in the shared folder', ({ root }) => ({ NVM_DIR: join(root, 'tool') })],
    [
      'a folder in PATH that is a link into the shared folder',
      ({ root, home }) => ({ PATH: `${link(join(home, 'way'), join(root, 'tool'))}:/usr/bin:/bin` }),
    ],
  ])('NG-05: %s, which a command makes a link to a secret, opens nothing', async (_case, variables) => {
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    file(join(home, '.ssh/id_ed25519'), 'sesame');
    file(join(home, '.ssh/versions/a'), 'sesame');
    file(join(home, '.ssh/bin/a'), 'sesame');
    setVariables({ HOME: home, ...variables({ root: folders.root, home }) });
    const { run } = await openShell(folders);
    for (const target of ['.ssh', '.ssh/bin', '.ssh/id_ed25519']) {
      await run(`rm -rf tool; ln -s '${join(home, target)}' tool`);
      const { stdout } = await run(
        `cat tool tool/* tool/*/* '${home}/.ssh/id_ed25519' '${home}'/.ssh/*/a; true`,
      );
      expect([target, stdout]).toEqual([target, '']);
    }
  });

  it('a working tree reads its repository elsewhere, and a file that only looks like one opens nothing', async () => {
    const folders = makeFolders();
    const repository = join(folders.base, 'repository');
    const git = (cwd: string, ...words: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
        cwd,
        encoding: 'utf8',
      });
    mkdirSync(repository);
    for (const words of [
      ['init', '-q'],
      ['commit', '-q', '--allow-empty', '-m', 'one'],
      ['worktree', 'add', '-q', join(folders.root, 'tree')],
    ])
      git(repository, ...words);
    const tree = await openShell({ ...folders, root: join(folders.root, 'tree') });
    expect((await tree.run('git log --oneline --format=%s && git status --short')).stdout).toBe('one\n');
    const fake = makeFolders();
    file(join(fake.base, 'private/worktrees/x/secret'), 'sesame');
    file(join(fake.base, 'private/worktrees/x/commondir'), '../..');
    file(join(fake.base, 'private/worktrees/x/gitdir'), '/elsewhere/.git');
    writeFileSync(join(fake.root, '.git'), `gitdir: ${join(fake.base, 'private/worktrees/x')}\n`);
    const { run } = await openShell(fake);
    expect((await run(`cat '${fake.base}/private/worktrees/x/secret'; true`)).stdout).toBe('');
  });

  it("git has the person's name and lists of ignored files, and no helper or key of theirs", async () => {
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    file(
      join(home, '.gitconfig'),
      '[user]\n\tname = "Ada \\"A\\" L"\n\temail = ada@example.org\n[core]\n\texcludesFile = ~/.ignored\n[credential]\n\thelper = store\n' +
        '[http "https://a.example"]\n\textraHeader = "Authorization: sesame"\n[url "https://u:sesame@b.example"]\n\tinsteadOf = b:\n[include]\n\tpath = ~/.more\n[commit]\n\tgpgSign = true\n[alias]\n\tx = "!cat ~/.ssh/id"\n',
    );
    file(join(home, '.more'), '[init]\n\tdefaultBranch = trunk\n[github]\n\ttoken = sesame\n');
    file(join(home, '.ignored'), '*.log\n');
    file(join(home, '.config/git/attributes'), '*.x text\n');
    setVariables({ HOME: home });
    const { run } = await openShell(folders);
    const { stdout } = await run(
      'git init -q && touch a.log b && git add . && git commit -q -m one && git log --format="%an <%ae>" && git ls-files && git branch --show-current; cat ~/.gitconfig',
    );
    expect(stdout).toMatch(/^Ada "A" L <ada@example\.org>\nb\ntrunk\n/);
    expect(stdout).not.toMatch(/sesame|helper|alias|gpgsign/i);
  });

  it('a link to a folder of tools is found by the name that people type', async () => {
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    mkdirSync(home);
    file(join(folders.base, 'disk/tools/lib/data'), 'standin');
    program(join(folders.base, 'disk/tools/bin/standin-linked'), `cat '${home}/tools/lib/data'`);
    symlinkSync('../disk/tools', join(home, 'tools'));
    setVariables({ HOME: home, PATH: `${home}/tools/bin:${process.env['PATH']}` });
    const { run } = await openShell(folders);
    expect((await run('standin-linked && command -v standin-linked')).stdout).toBe(
      `standin${home}/tools/bin/standin-linked\n`,
    );
  });
});
