import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { setVariables } from '../../../../test/support/home/config.ts';
import { file, fillHome } from '../../../../test/support/home/stand-in-home.ts';
import { makeFolders, openTools, textOf } from '../../../../test/support/tool-fixture.ts';
import { shellEnvironment } from '../config.ts';
import { sharedShell, shellOutput } from '../../../../test/support/shell-fixture.ts';

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
  'standin-node && npm test --silent',
  'npm run build --silent && cat build.txt',
  `node -e 'console.log(require("node:fs").readdirSync("src"))'`,
  'node --test test.js | grep -E "^# (tests|pass|fail)"',
  `python3 -c 'import json, pathlib; print(json.dumps(sorted(p.name for p in pathlib.Path("src").iterdir())))'`,
  'standin-py && standin-tool && python3 -m unittest discover -s py 2>&1 | tail -1',
  'standin-cargo && make && make clean && make -n all',
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
  'git diff HEAD~1 --stat; git shortlog -sn HEAD; git cherry HEAD',
  `git switch -c topic && echo t > t.txt && git add t.txt && ${git} commit -m topic && git switch main`,
  `${git} cherry-pick topic && git log --format=%s -1`,
  `${git} revert --no-edit HEAD && git log --format=%s -1 && ls t.txt`,
  'git branch -D topic && git branch',
  'git mv src/b.js src/c.js && git status --short && git mv src/c.js src/b.js && git restore --staged . && git restore src',
  `git rm -q f.txt && git reset -q --hard && ls f.txt`,
  `${git} commit --allow-empty -m three && ${git} commit --amend --allow-empty -m four && git log --format=%s -1`,
  'git format-patch -1 HEAD~1 --stdout | git apply --check --reverse; git bundle create -q all.bundle main && git bundle verify -q all.bundle',
  'git archive HEAD | tar t | sort; git ls-tree -r --name-only HEAD; git cat-file -p HEAD:README.md',
  `git clean -fq && git -c core.pager=cat log -1 --format=%s`,
  'npm pkg get scripts.test; npm ls --depth=0 --offline',
  'npx --no-install -c "echo bin"; npm root',
  `node --input-type=module -e 'import { readFile } from "node:fs/promises"; console.log(await readFile("README.md", "utf8"))'`,
  `node -e 'const { spawnSync } = require("node:child_process"); console.log(spawnSync("git", ["rev-parse", "--is-inside-work-tree"]).stdout.toString())'`,
  'node --check src/a.js && node -p "process.exitCode ?? 7"',
  `python3 -c 'import sqlite3; c = sqlite3.connect("a.db"); c.execute("create table t (x)"); c.commit(); print("made")'`,
  'python3 -m venv --without-pip venv && venv/bin/python -c "import sys; print(sys.prefix != sys.base_prefix)"',
  'python3 -m py_compile py/test_a.py && ls py/__pycache__ | wc -l; python3 -m json.tool package.json | head -2',
  `echo 'print(input())' > in.py && echo typed | python3 in.py`,
  `printf '#include <stdio.h>\\nint main(void){puts("c");return 0;}\\n' > c.c && cc -Wall -O1 -c c.c && cc c.o -o c && ./c`,
  'ar rcs lib.a c.o && nm lib.a | grep -c main; strip c && ./c',
  'make -j2 && make -q; echo $?; make clean',
  `awk '{ print NR, $0 }' README.md; awk -F: 'BEGIN { print "begun" }'`,
  'zip -qr src.zip src && unzip -Z1 src.zip | sort && unzip -qo src.zip -d unzipped && ls unzipped/src',
  'gzip -k README.md && gzip -cd README.md.gz && sha256sum README.md && xxd -l 4 README.md',
  `jq -r .name package.json; jq '.scripts | keys' package.json`,
  'ln -s README.md readme && readlink readme && cat readme && rm readme; ln README.md hard && stat -c %h README.md && rm hard',
  'chmod +x c && test -x c && stat -c %a c; touch -d 2020-01-01 old && find . -maxdepth 1 -name old ! -newermt 2021-01-01',
  'head -c 1000 /dev/zero | wc -c; dd if=/dev/urandom of=r bs=1k count=2 status=none && wc -c < r; split -b 1k r part && ls part*',
  `cat > here.txt <<'END'\nline $HOME\nEND\ncat here.txt; printf '%s\\n' {1..2}`,
  'diff <(echo a) <(echo a) 2> /dev/null; comm -12 README.md README.md; paste README.md README.md; tee copy < README.md > /dev/null && cmp copy README.md',
  'date -u -d @0 +%F; env | grep -c ^PATH=; id -u > /dev/null && whoami > /dev/null && uname -s; command -v git > /dev/null && echo found',
  '(exit 3); echo $?; false || echo or; true && echo and; kill -0 $$ && trap "echo bye" EXIT; ulimit -n > /dev/null',
  'yes | head -2; timeout 5 sleep 0.01; nproc > /dev/null; du -s src > /dev/null && df . > /dev/null; bc <<< "1+1" 2> /dev/null; expr 2 + 3',
  `perl -ne 'print if /t/' README.md; perl -MJSON::PP -e 'print encode_json([1]), "\\n"'`,
  'cargo --version > /dev/null 2>&1 && cd crate && cargo build --quiet --offline && ./target/debug/demo',
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
  const world = shared(async () => {
    // Not in /tmp, which a command has for itself.
    setVariables({ TMPDIR: '/var/tmp' });
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    const { path } = fillHome(home);
    setVariables({ HOME: home, PATH: [...path, process.env['PATH']].join(':') });
    fill(folders.root);
    const asked: string[] = [];
    const askInTerminal = ({ toolGroup }: ConfirmationPayload) => {
      asked.push(toolGroup);
      return Promise.resolve({ decision: 'allowOnce' as const });
    };
    const modes = { filesystemRead: 'allow', filesystemWrite: 'ask', shell: 'ask' } as const;
    const tools = await openTools({ folders, modes, ask: { kind: 'terminal', askInTerminal } });
    /** A call, and how many questions it asked. */
    const call = async (name: string, given: Record<string, unknown>) => {
      const result = await tools.call(name, given);
      return { text: textOf(result), isError: result.isError === true, questions: asked.splice(0).length };
    };
    return { ...tools, run: call };
  });

  it(`${everyday.length} of them ask once and end in the sandbox as they do outside`, async () => {
    const { base, root, run } = world();
    const outside = join(base, 'free');
    cpSync(root, outside, { recursive: true });
    const temporary = join(base, 'temporary');
    mkdirSync(temporary);
    const differences: unknown[] = [];
    const plain = (text: string, at: string) =>
      text.replaceAll(at, '<root>').replaceAll(/\/tmp\b|\/\S*\/temporary/g, '<temporary>');
    const env = { ...shellEnvironment(outside), TMPDIR: temporary };
    const runFree = (command: string) =>
      new Promise<{ status: number | null; stdout: string }>((resolve) => {
        const child = execFile('/bin/sh', ['-c', command], { cwd: outside, env }, (_error, stdout) =>
          resolve({ status: child.exitCode, stdout }),
        );
        child.stdin?.end();
      });
    for (const command of everyday) {
      const [free, { text, questions }] = await Promise.all([
        runFree(command),
        run('shell_execute', { command, timeout: 60_000 }),
      ]);
      if (free.status === 127) {
        process.stderr.write(`Not compared, because a program is not installed: ${command}\n`);
        continue;
      }
      const boxed = text.startsWith('{') ? shellOutput.parse(JSON.parse(text)) : undefined;
      const expected = { exitCode: free.status, stdout: plain(free.stdout, outside), questions: 1 };
      const found = { exitCode: boxed?.exitCode, stdout: plain(boxed?.stdout ?? text, root), questions };
      const notes = boxed?.notes?.filter((note) => !note.startsWith('Changed, and other programs run')) ?? [];
      if (JSON.stringify(expected) !== JSON.stringify(found) || notes.length > 0)
        differences.push({ command, expected, found, stderr: boxed?.stderr, notes });
    }
    expect(everyday.length).toBe(78);
    expect(differences).toEqual([]);
  }, 180_000);

  it('of 27 calls of file tools 16 reads ask nothing, and 11 writes ask once', async () => {
    const { root, run } = world();
    for (const path of [
      '.env.example',
      'locale/messages.key',
      'public.pem',
      'src/credentials/index.js',
      'x/y.txt',
    ])
      file(join(root, path), 'one\n');
    const read = (filePath: string) => ['read_file', { filePath }] as const;
    const list = (dirPath: string) => ['list_files', { dirPath }] as const;
    const write = (filePath: string) => ['write_file', { filePath, content: 'one\n' }] as const;
    const edit = (filePath: string, newString: string) =>
      ['edit_file', { filePath, oldString: 'one', newString }] as const;
    const reads = [
      ...[
        'package.json',
        '.env.example',
        'locale/messages.key',
        'public.pem',
        'src/credentials/index.js',
      ].map(read),
      ...[join(root, 'Makefile'), 'src/../test.js', './.gitignore', join(root, 'src/../py/test_a.py')].map(
        read,
      ),
      ...['.', 'src', join(root, 'src/credentials'), 'src/..'].map(list),
      ['search_files', { name: '**/*.js' }] as const,
      ['search_files', { name: '**', query: 'one' }] as const,
      ['list_files', { dirPath: 'x' }] as const,
    ];
    const writes = [
      ...['new.txt', 'src/new.js', 'deep/er/new.txt', join(root, 'abs.txt'), 'src/../up.txt'].map(write),
      ...['new.txt', 'src/new.js', 'x/y.txt', join(root, 'abs.txt')].map((path) => edit(path, 'two')),
      ...['.env.example', 'locale/messages.key'].map((path) => edit(path, 'two')),
    ];
    expect([reads.length, writes.length]).toEqual([16, 11]);
    const different: unknown[] = [];
    for (const [at, [name, given]] of [...reads, ...writes].entries()) {
      const { questions, isError, text } = await run(name, given);
      if (isError || questions !== (at < reads.length ? 0 : 1))
        different.push({ name, given, questions, text });
    }
    expect(different).toEqual([]);
  });

  const shell = sharedShell();

  it.each([
    [
      'curl -sS https://example.org',
      /^The command ran without network: .* Call again with network: \["example\.org"\]/,
    ],
    ['curl -s https://example.org', /^The command ran without network: /],
    ['git fetch https://example.org/x.git', /^The command ran without network: /],
    // It would try again for longer than the call has.
    ['npm install left-pad --registry=http://registry.example', /^The command ran without network: /],
    ['echo x > /etc/drawbridge-was-here', /^The sandbox changes files in .* only/],
    ['git worktree add ../beside', /^The sandbox changes files in .* only/],
    [
      'git config core.pager x',
      /^A command in the sandbox cannot change the settings of a git repository.*`git -c/,
    ],
    [`git config alias.x '!x'`, /^A command in the sandbox cannot change the settings/],
    // It tries the names that the sandbox holds there, and fails after it has removed the rest.
    ['git clean -fdxq', /^In the sandbox protected files .* cannot be renamed, replaced or removed/],
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
