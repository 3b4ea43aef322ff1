import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { whySensitive } from './sensitive-paths.ts';

const asks = (path: string) => ({
  read: whySensitive('/w', { toolGroup: 'filesystemRead', resource: `/w/${path}` }) !== undefined,
  write: whySensitive('/w', { toolGroup: 'filesystemWrite', resource: `/w/${path}` }) !== undefined,
});

/** Names that look like something that is guarded, or like nothing at all. */
const lawful = [
  'a b.txt',
  ' leading',
  'trailing space .md',
  "it's.txt",
  'quote".txt',
  'back\\slash',
  'semi;colon',
  '$HOME',
  '`tick`',
  '-rf',
  '--help',
  '#hash#',
  '~tilde',
  'größe.txt',
  '日本語.md',
  'emoji-🙂.png',
  'é.txt',
  'e\u0301.txt',
  '[...slug].vue',
  '(group)/page.tsx',
  '@scope/pkg/index.js',
  '_private.py',
  '__init__.py',
  '.gitkeep',
  '.gitignore',
  '.env.example',
  '.npmignore',
  '.editorconfig',
  '.dockerignore',
  'src/environment.ts',
  'src/credentials/store.ts',
  'src/keyrings/a.c',
  'docs/intro.asc',
  'locale/de.key',
  'keys.ts',
  'id_rsa.md',
  'config',
  'src/hooks/use-id.ts',
  'src/head.ts',
  'src/refs/objects.ts',
  'ca-cert.pem',
  'make.txt',
];

it(`none of ${lawful.length} odd but lawful names asks`, () => {
  expect(lawful.filter((path) => asks(path).read || asks(path).write)).toEqual([]);
});

describeWith('git')('every file of this repository', () => {
  it('asks only where other programs run what stands there', () => {
    const root = join(import.meta.dirname, '../../../../..');
    const files = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
      .stdout.split('\0')
      .filter(Boolean);
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.filter((path) => asks(path).read)).toEqual([]);
    const written = files.filter((path) => asks(path).write).map((path) => path.split('/').at(-1));
    expect([...new Set(written)].sort()).toEqual([
      '.pnpmfile.cjs',
      'compose.yaml',
      'drawbridge-server.service',
      'eslint.config.js',
      'package.json',
      'pnpm-workspace.yaml',
      'tsdown.config.ts',
      'turbo.json',
      'vite.config.ts',
      'vitest.config.ts',
      'vitest.long.config.ts',
      'vitest.postgres.config.ts',
    ]);
  });
});
