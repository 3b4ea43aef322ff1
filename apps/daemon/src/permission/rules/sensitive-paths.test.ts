import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { whySensitive } from './sensitive-paths.ts';

const guard = (toolGroup: 'filesystemRead' | 'filesystemWrite', resource: string, root = '/w') =>
  whySensitive(root, { toolGroup, resource });

describe('FS-34 what may hold passwords or keys', () => {
  it.each([
    '.env',
    '.ENV',
    '.env.',
    '.e\u200bnv',
    '.env.local',
    'prod.env',
    'deep/.env',
    'id_rsa',
    'id_ed25519',
    'server.pem',
    'server.key',
    'store.p12',
    'vault.kdbx',
    '.npmrc',
    '.netrc',
    '.git-credentials',
    '.aws/credentials',
    '.aws/',
    '.kube/config',
    '.gnupg/x',
    'Credentials.JSON',
    '.mozilla/firefox/p/logins.json',
    'logins.json',
    '.claude/.credentials.json',
    'User/globalStorage/state.vscdb',
    'credentials',
    'cert-key.pem',
    'privkey.pem',
    'tls.key',
    'private-key.asc',
    '.viminfo',
  ])('%s', (path) => {
    expect(guard('filesystemRead', `/w/${path}`)).toBe('may hold passwords or keys');
    expect(guard('filesystemWrite', `/w/${path}`)).toBeDefined();
  });

  it.each([
    '.env.example',
    'env',
    'environment.ts',
    'id_rsa.md',
    'keys.ts',
    'pem.txt',
    'README.md',
    'src/',
    '',
    'src/credentials/index.ts',
    'src/credentials/',
    'lib/keyrings/open.c',
    'docs/guide.asc',
    'src/locales/de.key',
    'certs/ca.pem',
    'etc/fullchain.pem',
    'example.org-cert.pem',
  ])('not %s', (path) => {
    expect(guard('filesystemRead', `/w/${path}`)).toBeUndefined();
  });
});

describe('FS-25 what other programs run', () => {
  it.each([
    'package.json',
    'PACKAGE.json',
    'deep/package.json',
    'package.json.',
    '.gitattributes',
    '.npmrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    'Makefile',
    '.husky/pre-commit',
    '.devcontainer/devcontainer.json',
    'Library/LaunchAgents/a.plist',
    'authorized_keys',
    'start.desktop',
    'start.command',
    'run.BAT',
    'a.lnk',
    'lefthook.yml',
    'tests/conftest.py',
    'sitecustomize.py',
    '.bazelrc',
    'build.rs',
    '.vimrc',
    '.zed/tasks.json',
    '.gitconfig',
    '.cargo/config.toml',
    '.github/workflows/ci.yml',
    'AGENTS.md',
    'deep/CLAUDE.md',
    '.codex/config.toml',
    '.pnpmfile.mjs',
    'deploy/drawbridge-server.service',
    'units/backup.timer',
    'units/agent.socket',
    '.yarn/releases/yarn.cjs',
    '.local/bin/git',
    'x.git/HEAD',
    'src/HEAD',
  ])('%s, when it is written', (path) => {
    expect(guard('filesystemWrite', `/w/${path}`)).toBe('other programs run what stands here');
  });

  it.each(['package.json', 'Makefile', 'start.desktop', '.husky/pre-commit'])('%s may be read', (path) => {
    expect(guard('filesystemRead', `/w/${path}`)).toBeUndefined();
  });

  it.each(['src/a.ts', 'package.json.md', 'vendor/github.com/a.go', 'bat', 'a.bats'])('not %s', (path) => {
    expect(guard('filesystemWrite', `/w/${path}`)).toBeUndefined();
  });
});

it('FS-25 what git reads in a repository of any name, where one stands', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'store/hooks'), { recursive: true });
  const names = [
    'config',
    'commondir',
    'config.worktree',
    'hooks/pre-commit',
    'rebase-merge/git-rebase-todo',
  ];
  const paths = names.map((name) => `store/${name}`);
  const asks = () => paths.filter((path) => guard('filesystemWrite', join(root, path), root) !== undefined);
  expect(asks()).toEqual([]);
  writeFileSync(join(root, 'store/HEAD'), 'ref: refs/heads/main');
  expect(asks()).toEqual(paths);
});

it('the folder that the person opened does not count, and no other group does', () => {
  expect(guard('filesystemRead', '/home/ada/.aws/notes', '/home/ada/.aws')).toBeUndefined();
  expect(guard('filesystemRead', '/.env', '/')).toBeDefined();
  expect(whySensitive('/w', { toolGroup: 'shell', resource: '"/w" $ cat .env' })).toBeUndefined();
});
