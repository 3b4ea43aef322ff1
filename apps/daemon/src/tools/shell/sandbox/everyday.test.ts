import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../testing/tool-fixture.ts';
import { shellEnvironment } from '../config.ts';
import { sharedShell, openShell } from '../../../testing/shell-fixture.ts';

const dates = 'GIT_AUTHOR_DATE=2026-01-02T03:04:05Z GIT_COMMITTER_DATE=2026-01-02T03:04:05Z';
const author = `-c user.name=Ada -c user.email=ada@example.org -c init.defaultBranch=main -c advice.detachedHead=false`;
const git = `${dates} git ${author}`;

/** What people and agents run all day; each starts where the one before it ended. */
const everyday = [
  'git status',
  'git log --stat',
  `echo more >> src/a.js && git diff`,
  `git add -A && git status --short`,
  `${git} commit -m two && git log --oneline`,
  `${git} checkout -b feature && echo f > f.txt && git add f.txt && ${git} commit -m feature`,
  `git checkout main && ${git} merge --no-ff -m merged feature && git log --oneline --graph`,
  `echo dirty >> README.md && ${git} stash && git status --short && git stash pop && git checkout -- README.md`,
  `git clone . copied && git -C copied log --oneline && ls -A copied`,
  `git init made && cd made && echo x > x && git add x && ${git} commit -m first && git log --oneline`,
  `git worktree add tree feature && git -C tree status && git -C tree log --oneline && ls tree`,
  `cd tree && echo y > y.txt && git add y.txt && ${git} commit -m y`,
  `${git} rebase main feature; git branch -a; git tag v1; git describe --tags`,
  `git show --stat HEAD; git blame README.md | cut -c1-8 | wc -l; git grep -n one; git ls-files`,
  'git gc --quiet; git fsck; git rev-parse HEAD --git-dir --show-toplevel',
  'git submodule status; git remote -v; git config --get core.bare; git reflog | wc -l',
  'npm test --silent',
  'npm run build --silent && cat build.txt',
  `node -e 'console.log(require("node:fs").readdirSync("src"))'`,
  'node --test test.js | grep -E "^# (tests|pass|fail)"',
  `python3 -c 'import json, pathlib; print(json.dumps(sorted(p.name for p in pathlib.Path("src").iterdir())))'`,
  'python3 -m unittest discover -s py 2>&1 | tail -1',
  'make && make clean && make -n all',
  'grep -rn one . --include=*.md',
  'grep -rn --exclude-dir=.git one . | sort',
  'cp -r src src2 && diff -r src src2 && ls src2',
  'cp -a . "$TMPDIR/all" && diff -r src "$TMPDIR/all/src" && ls "$TMPDIR/all"',
  `find . -path ./.git -prune -o -type f -name '*.js' -print | sort`,
  `find src -type f -exec wc -l {} + | tail -1`,
  'tar czf src.tgz src && tar tzf src.tgz | sort && mkdir out && tar xzf src.tgz -C out && ls out/src',
  `sed -i 's/one/two/' README.md && cat README.md`,
  `printf 'x\\n' > p && cp p q && echo y >> q; diff -u --label a --label b p q > change.diff; patch p change.diff && cat p`,
  `perl -pi -e 's/two/three/' README.md && cat README.md`,
  `printf '1\\ni\\nfirst\\n.\\nw\\nq\\n' | ed -s README.md; cat README.md`,
  `vim -Es -u NONE -c '%s/first/second/' -c 'wq' README.md < /dev/null; cat README.md`,
  'mv src2 src3 && rm -r src3 && mkdir -p a/b/c && touch a/b/c/d && rmdir a/b/c; ls a/b/c',
  'sort README.md | uniq -c | head -1; wc -c src/a.js; tail -n 1 src/a.js; cut -c1-2 README.md | tr a-z A-Z',
  'seq 1 5 | xargs -n 2 echo; ls -1 src | while read -r f; do basename "$f" .js; done',
  'cc --version > /dev/null && echo "int main(){return 3;}" > m.c && cc m.c -o m && ./m; echo $?',
  'cargo --version > /dev/null 2>&1 && cargo init --quiet --vcs none --name demo crate && ls -A crate',
  'set -e; tmp=$(mktemp); echo t > "$tmp"; cat "$tmp"; rm "$tmp"; sleep 0.01 & wait; test -w . && echo writable',
];

const fill = (root: string): void => {
  const files: Record<string, string> = {
    'README.md': 'one\n',
    '.gitignore': 'build.txt\n',
    'src/a.js': 'exports.a = 1;\n',
    'src/b.js': 'exports.b = 2;\n',
    'test.js': `require('node:test').test('adds', () => {});\n`,
    'py/test_a.py':
      'import unittest\nclass A(unittest.TestCase):\n  def test_a(self): self.assertEqual(1, 1)\n',
    Makefile: 'all: m.txt\nm.txt:\n\techo made > m.txt\nclean:\n\trm m.txt\n',
    'package.json': JSON.stringify({
      name: 'demo',
      scripts: { test: 'node -e "console.log(1 + 1)"', build: 'echo built > build.txt' },
    }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  spawnSync('/bin/sh', ['-c', `${git} init --quiet && git add -A && ${git} commit --quiet -m one`], {
    cwd: root,
  });
};

describeWith(
  'bubblewrap',
  'git',
  'make',
  'python3',
)('everyday commands', () => {
  it(`${everyday.length} of them end in the sandbox as they do outside`, { timeout: 180_000 }, async () => {
    // Not in /tmp, which a command has for itself.
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/var/tmp';
    onTestFinished(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    const folders = makeFolders();
    const outside = join(folders.base, 'free');
    fill(folders.root);
    cpSync(folders.root, outside, { recursive: true });
    const temporary = join(folders.base, 'temporary');
    mkdirSync(temporary);
    const { run } = await openShell(folders);
    const differences: unknown[] = [];
    const plain = (text: string, root: string) =>
      text.replaceAll(root, '<root>').replaceAll(/\/tmp\b|\/\S*\/temporary/g, '<temporary>');
    for (const command of everyday) {
      const free = spawnSync('/bin/sh', ['-c', command], {
        cwd: outside,
        encoding: 'utf8',
        env: { ...shellEnvironment(outside), TMPDIR: temporary },
      });
      const boxed = await run(command, { timeout: 60_000 });
      const expected = { exitCode: free.status, stdout: plain(free.stdout, outside) };
      const found = { exitCode: boxed.exitCode, stdout: plain(boxed.stdout, folders.root) };
      const notes = boxed.notes?.filter((note) => !note.startsWith('Changed, and other programs run')) ?? [];
      if (JSON.stringify(expected) !== JSON.stringify(found) || notes.length > 0)
        differences.push({ command, expected, found, stderr: boxed.stderr, notes });
    }
    expect(differences).toEqual([]);
  });

  const shell = sharedShell();

  it.each([
    ['curl -sS https://example.org', /^The sandbox has no network: .* Ask the user to run this command/],
    ['curl -s https://example.org', /^The sandbox has no network: /],
    ['git fetch https://example.org/x.git', /^The sandbox has no network: /],
    // It would try again for longer than the call has.
    ['npm install left-pad --registry=http://registry.example', /^The sandbox has no network: /],
    ['echo x > /etc/drawbridge-was-here', /^The sandbox changes files in .* only/],
    ['git worktree add ../beside', /^The sandbox changes files in .* only/],
    [
      'git config user.name x',
      /^A command in the sandbox cannot change the settings of a git repository.*`git -c/,
    ],
    [
      'git remote add origin https://example.org/x.git',
      /^A command in the sandbox cannot change the settings/,
    ],
    [
      'mv .git/config .git/other',
      /^In the sandbox protected files .* cannot be renamed, replaced or removed/,
    ],
  ])('says that it was the sandbox: %s', async (command, note) => {
    const { root, run } = shell();
    fill(root);
    const { exitCode, notes } = await run(command);
    expect([exitCode === 0, notes]).toEqual([false, [expect.stringMatching(note)]]);
  });
});
