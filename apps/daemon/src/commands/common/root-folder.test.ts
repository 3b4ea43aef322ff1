import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findRootFolder, refuseWide } from './root-folder.ts';

const openHome = () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const home = join(base, 'ada');
  mkdirSync(join(home, 'work/site'), { recursive: true });
  symlinkSync(home, join(base, 'linked'));
  return home;
};

it.each<[string, (home: string) => string]>([
  ['the home folder', (home) => home],
  ['the folder above it', dirname],
  ['the disk', () => '/'],
  ['a link to it', (home) => join(dirname(home), 'linked')],
  ['/root', () => '/root'],
  ['/home', () => '/home'],
  ['/Users', () => '/Users'],
  ['the home of another account', () => '/home/bob'],
  ['.config', (home) => join(home, '.config')],
  ['.config/git', (home) => join(home, '.config/git')],
  ['.config/systemd/user', (home) => join(home, '.config/systemd/user')],
  ['.local', (home) => join(home, '.local')],
  ['.ssh', (home) => join(home, '.ssh')],
  ["the daemon's own folder", (home) => join(home, '.drawbridge/versions')],
])('NG-16 %s is not shared', async (_case, pathOf) => {
  const home = openHome();
  const path = pathOf(home);
  const real = await findRootFolder(path).catch(() => path);
  await expect(refuseWide(real, [home])).rejects.toMatchObject({
    code: 'FOLDER_TOO_WIDE',
    message: expect.stringMatching(/ cannot be shared: /),
    fix: expect.stringMatching(/^Share a folder inside of it/),
  });
});

it.each<[string, (home: string) => string]>([
  ['a folder of work', (home) => join(home, 'work')],
  ['one inside of it', (home) => join(home, 'work/site')],
  ['dotfiles that are kept elsewhere', (home) => join(home, '.dotfiles')],
  ['a folder of data', (home) => join(home, '.local/share/notes')],
  ['a folder beside the home folder', (home) => join(dirname(home), 'ad')],
  ['a folder below another home', () => '/home/bob/site'],
  ['/srv/site', () => '/srv/site'],
])('%s is shared', async (_case, pathOf) => {
  const home = openHome();
  await expect(refuseWide(pathOf(home), [home])).resolves.toBeUndefined();
});
