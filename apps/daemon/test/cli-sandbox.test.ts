import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import { describe, expect, it } from 'vitest';
import { home, run, setUpEachTest } from './support/start-cli.ts';

setUpEachTest();

const makeStore = (): string => {
  const store = join(home, 'srv/data');
  const places = join(home, ...serverPlacesFolder);
  for (const folder of [store, places]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(store, 'auth-secret'), 'sesame');
  writeFileSync(join(places, 'a.json'), JSON.stringify({ version: 1, paths: [store] }));
  return store;
};

describe('drawbridge sandbox', () => {
  it('adds a folder once, lists it, and removes it by the name that was typed', async () => {
    mkdirSync(join(home, 'work/data'));
    const path = join(home, 'work/data');
    expect((await run(['sandbox'])).stdout).toMatch(/^Nothing is added\. See .* sandbox add --help\.\n$/);
    for (const typed of ['data', path])
      expect(await run(['sandbox', 'add', typed])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(`^added {4}${path}\n`),
      });
    expect(JSON.parse((await run(['sandbox', 'list', '--json'])).stdout)).toEqual([path]);
    expect(await run(['sandbox', 'remove', 'data'])).toMatchObject({ code: 0, stdout: `removed  ${path}\n` });
    expect(JSON.parse((await run(['sandbox', '--json'])).stdout)).toEqual([]);
    expect(await run(['sandbox', 'remove', 'data'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not added\nnext {3}See .* sandbox list\./),
    });
  });

  it('NG-05: refuses what holds too much, or keys of Drawbridge, by every name, and adds nothing', async () => {
    const store = makeStore();
    mkdirSync(join(home, '.drawbridge'), { mode: 0o700 });
    symlinkSync(home, join(home, 'work/way'));
    const cases: [path: string, reason: RegExp][] = [
      [home, /holds too much/],
      [join(home, 'work/way'), /holds too much/],
      [join(home, '..'), /holds too much/],
      ['/', /holds too much/],
      ['/home', /holds too much/],
      ['/proc/self', /belongs to the kernel/],
      [join(home, '.drawbridge'), /holds the keys of Drawbridge/],
      [store, /holds the keys of Drawbridge/],
      [join(home, 'work/way/srv/data/auth-secret'), /holds the keys of Drawbridge/],
      ['/usr/share', /can be read already/],
      [join(home, 'nowhere'), /does not exist/],
    ];
    const different: unknown[] = [];
    for (const [path, reason] of cases) {
      const { code, stderr } = await run(['sandbox', 'add', path]);
      if (code !== 1 || !reason.test(stderr) || !/\nnext {3}Name the folder/.test(stderr))
        different.push({ path, code, stderr });
    }
    expect(different).toEqual([]);
    expect(JSON.parse((await run(['sandbox', 'list', '--json'])).stdout)).toEqual([]);
  });
});
