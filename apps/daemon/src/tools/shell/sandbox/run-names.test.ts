import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { openShell, sharedShell } from '../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { words } from '../../../text/words.ts';

/** Closed to commands: what is there stays, and what is new gets another name. */
const kept = {
  'NG-19': words(`
    .zed/settings.json .zed/tasks.json .exrc .nvim.lua .nvimrc .vimrc .dir-locals.el .helix/config.toml .helix/languages.toml
    mise.toml .mise.toml .husky/pre-commit .githooks/pre-commit lefthook.yml .pre-commit-config.yaml .gdbinit
    .devcontainer/devcontainer.json .emacs.d/init.el
  `),
  'NG-20': words(`
    .codex/config.toml .gemini/settings.json opencode.json .opencode/plugin/a.js .pi/extensions/a.ts .kiro/hooks/a.kiro.hook
    .windsurf/mcp.json .clinerules/hooks/a .qwen/settings.json .aider.conf.yml
  `),
  siblings: words(`
    demo.code-workspace demo.sublime-project .ycm_extra_conf.py .luarc.json .pdbrc .irbrc .Rprofile .iex.exs
    .hg/hgrc .jj/repo/config.toml .continue/config.yaml .roo/mcp.json .junie/mcp.json .agents/skills/a.sh
    .config/mise/config.toml .lefthook-local.toml .github/hooks/a.json .sl/config .VIM/coc-settings.json LEFTHOOK.yml.
  `),
};

/** Open to commands, and listed. */
const shown = {
  'NG-19': ['.gitattributes'],
  'NG-20': words(`
    AGENTS.md CLAUDE.md GEMINI.md .cursorrules .github/workflows/ci.yml package.json Makefile .gitlab-ci.yml
  `),
  siblings: words(`
    .github/actions/a/action.yml .circleci/config.yml Jenkinsfile .yarn/releases/yarn.cjs .pnpmfile.cjs
    pyproject.toml conftest.py setup.py build.rs .cargo/config.toml justfile Taskfile.yml Rakefile Gemfile rules.mk
    build.gradle gradlew deno.json bunfig.toml turbo.json eslint.config.js .tool-versions flake.nix run.desktop
    vite.config.ts .eslintrc.json .lintstagedrc.cjs .pylintrc .formatter.exs .rubocop.yml ansible.cfg a/b.xcscheme
    sub/dir/package.json .github/prompts/a.prompt.md
  `),
};

const rows = (table: Record<string, string[]>) =>
  Object.entries(table).map(([id, paths]): [string, string[]] => [id, paths]);
const make = (paths: string[]) =>
  paths.map((path) => `mkdir -p "$(dirname ${path})"; echo command > ${path}`).join('\n');

describeWith('bubblewrap')('names that other programs run', () => {
  const shell = sharedShell();

  it.each(rows(kept))('%s: a new one of %j gets another name', async (_id, paths) => {
    const { root, run } = shell();
    const { exitCode } = await run(make(paths));
    expect([exitCode, paths.filter((path) => existsSync(join(root, path)))]).toEqual([0, []]);
  });

  it.each(rows(kept))('%s: one of %j that is there stays as it is', async (_id, paths) => {
    const { root, run } = shell();
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), 'mine');
    }
    await run(make(paths));
    expect(paths.filter((path) => readFileSync(join(root, path), 'utf8') !== 'mine')).toEqual([]);
  });

  it.each(rows(shown))('%s: %j are changed, and the result says so', async (_id, paths) => {
    const { root, call } = shell();
    const listed = async (command: string) => {
      const { _meta } = await call('shell_execute', { command });
      return [...(_meta?.['drawbridge/changedRunFiles']?.paths ?? [])].toSorted();
    };
    for (let at = 0; at < paths.length; at += 20) {
      const some = paths.slice(at, at + 20).toSorted();
      expect(await listed(make(some))).toEqual(some);
      expect(await listed('true')).toEqual([]);
      expect(await listed(some.map((path) => `printf x >> ${path}`).join('; '))).toEqual(some);
      expect(await listed(`rm ${some.join(' ')}`)).toEqual(some);
    }
    expect(paths.filter((path) => existsSync(join(root, path)))).toEqual([]);
  });

  it('what is listed: 20 names, all counted, hidden letters shown; and a sentence for the model', async () => {
    const { run, call } = shell();
    const { notes } = await run(`echo '{}' > package.json`);
    expect(notes).toEqual(['Changed, and other programs run or obey it: package.json. Tell the user.']);
    const many = await call('shell_execute', {
      command: `for n in $(seq 25); do mkdir d$n; echo x > d$n/Makefile; done; mkdir "$(printf 'a\\nb')"; mv d1/Makefile "$(printf 'a\\nb')"`,
    });
    expect(many._meta?.['drawbridge/changedRunFiles']).toMatchObject({ count: 25 });
    const { paths } = many._meta?.['drawbridge/changedRunFiles'] ?? { paths: [] };
    expect([paths.length, paths.join('').includes('\n')]).toEqual([20, false]);
  });

  it.each([
    ['a name that leads to another file', 'echo more >> docs/agents.txt'],
    ['a second name of the file', 'ln AGENTS.md other; echo more >> other'],
    ['a time that is set back', `echo m >> CLAUDE.md; touch -d '2001-01-01' CLAUDE.md`],
  ])('sees it through %s', async (_case, command) => {
    const folders = makeFolders();
    mkdirSync(join(folders.root, 'docs'));
    for (const name of ['docs/agents.txt', 'AGENTS.md', 'CLAUDE.md'])
      writeFileSync(join(folders.root, name), 'm');
    symlinkSync('docs/agents.txt', join(folders.root, 'GEMINI.md'));
    const { call } = await openShell(folders);
    const { _meta } = await call('shell_execute', { command });
    expect(_meta?.['drawbridge/changedRunFiles']?.count).toBe(1);
  });
});

describeWith('bubblewrap', 'git')('honest commands with such files', () => {
  it.each([
    ['npm pkg set scripts.test="node --test"', ['package.json']],
    ['npm init -y', ['package.json']],
    ['git mv package.json b.json && git checkout -q HEAD -- package.json', ['package.json']],
    [`sed -i 's/x/y/' Makefile AGENTS.md`, ['AGENTS.md', 'Makefile']],
    [
      'mkdir -p .github/workflows && echo "on: push" > .github/workflows/ci.yml',
      ['.github/workflows/ci.yml'],
    ],
    ['make -s && npm test --silent; cat .husky/pre-commit lefthook.yml', []],
  ])('%s works, and is shown', async (command, changed) => {
    const folders = makeFolders();
    const files: Record<string, string> = {
      'package.json': JSON.stringify({ name: 'demo', scripts: { test: 'true' } }),
      Makefile: 'all:\n\t@true\n',
      'AGENTS.md': 'x\n',
      'lefthook.yml': 'x\n',
      '.husky/pre-commit': 'x\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folders.root, path)), { recursive: true });
      writeFileSync(join(folders.root, path), text);
    }
    execFileSync(
      'sh',
      ['-c', 'git init -q && git add -A && git -c user.name=A -c user.email=a@b commit -qm one'],
      {
        cwd: folders.root,
      },
    );
    const { call } = await openShell(folders);
    const result = await call('shell_execute', { command });
    const { paths = [] } = result._meta?.['drawbridge/changedRunFiles'] ?? {};
    expect([result.isError, [...paths].toSorted()]).toEqual([undefined, changed]);
  });
});
