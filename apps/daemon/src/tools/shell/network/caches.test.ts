import {
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { cachesIn, clearCaches, openCaches, sizeOfCaches, trimCaches } from './caches.ts';

/** Two tools' caches of 1,000 bytes each in one shared folder, the first older. */
const fill = (base: string, root: string) => {
  const { environment } = openCaches(base, { root, hasNetwork: true, command: '' });
  const { npm_config_cache: npm = '', PIP_CACHE_DIR: pip = '' } = environment;
  for (const [at, folder] of [npm, pip].entries()) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'kept'), Buffer.alloc(1_000));
    utimesSync(folder, 1_000 + at, 1_000 + at);
  }
  return { npm, pip };
};

it('SH-67 each shared folder has caches of its own, and none before a command has network', () => {
  const { base } = makeFolders();
  expect(openCaches(base, { root: '/a', hasNetwork: false, command: '' })).toEqual({
    mounts: [],
    environment: {},
  });
  const a = fill(base, '/a');
  expect(statSync(join(a.npm, '..')).mode & 0o777).toBe(0o700);
  const b = openCaches(base, { root: '/b', hasNetwork: true, command: '' });
  expect(b.mounts).not.toContain(join(a.npm, '..'));
  const later = openCaches(base, { root: '/a', hasNetwork: false, command: '' });
  expect(later.environment).toEqual({ npm_config_cache: a.npm, PIP_CACHE_DIR: a.pip });
});

it.each([
  ['npm ci && npm test', false],
  ['npx --yes x', false],
  ['pnpm install', true],
  ['npm run a; pnpm run b', true],
  ['./setup', true],
])('%j gets the folder of pnpm: %s', (command, isGiven) => {
  const { environment } = openCaches(makeFolders().base, { root: '/a', hasNetwork: true, command });
  expect('npm_config_store_dir' in environment).toBe(isGiven);
});

it('Maven gets its cache folder as an option, unless the path has blanks', () => {
  const { base } = makeFolders();
  const optionIn = (folder: string) =>
    openCaches(folder, { root: '/a', hasNetwork: true, command: 'mvn test' }).environment['MAVEN_OPTS'];
  expect([optionIn(base), optionIn(join(base, 'my caches'))]).toEqual([
    expect.stringMatching(/^-Dmaven\.repo\.local=\/.*\/maven$/),
    undefined,
  ]);
});

it('SH-67 the oldest go first, and nothing outside with them', async () => {
  const { base, outside } = makeFolders();
  writeFileSync(join(outside, 'mine'), Buffer.alloc(5_000));
  const { npm, pip } = fill(base, '/a');
  symlinkSync(outside, join(npm, 'link'));
  utimesSync(npm, 1_000, 1_000);
  utimesSync(pip, 999, 999);
  expect(await sizeOfCaches(base)).toBe(2_000);
  await trimCaches(base, 1_999);
  expect([npm, pip].map((folder) => existsSync(folder))).toEqual([true, false]);
  await clearCaches(base);
  expect([readdirSync(cachesIn(base)), readdirSync(outside)]).toEqual([[], ['mine']]);
});
