import { describe, expect, it } from 'vitest';
import { guardOf } from './guarded.ts';

const guard = (toolGroup: 'filesystemRead' | 'filesystemWrite', resource: string, root = '/w') =>
  guardOf(root, { toolGroup, resource });

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

it('the folder that the person opened does not count, and no other group does', () => {
  expect(guard('filesystemRead', '/home/ada/.aws/notes', '/home/ada/.aws')).toBeUndefined();
  expect(guard('filesystemRead', '/.env', '/')).toBeDefined();
  expect(guardOf('/w', { toolGroup: 'shell', resource: '"/w" $ cat .env' })).toBeUndefined();
});
