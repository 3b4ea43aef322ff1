import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { mountNamesOf, readMounts } from '../../../paths/mount-names.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';
import { makeFolders, textOf } from '../../../../test/support/tool-fixture.ts';
import { setVariables } from '../../../../test/support/home/config.ts';

const makeStore = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  for (const name of ['auth-secret', 'drawbridge.db', 'drawbridge.db-wal', 'drawbridge.db-shm', 'notes.txt'])
    writeFileSync(join(folder, name), 'sesame');
  return folder;
};

/** What a server writes down at its start. */
const announce = (home: string, ...paths: string[]): void => {
  const folder = join(home, ...serverPlacesFolder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${paths.join('').replaceAll('/', '-').slice(-60)}.json`),
    JSON.stringify({ version: 1, paths }),
  );
};

const openWorld = async (more: { closed?: string[] } = {}) => {
  const folders = makeFolders();
  const home = join(folders.base, 'home');
  mkdirSync(home);
  setVariables({ HOME: home });
  const world = await openShell(folders, more);
  /** All that a command and the file tools give of these files. */
  const read = async (paths: string[]): Promise<string> => {
    const { stdout } = await world.run(`cat ${paths.map((path) => `'${path}'`).join(' ')}; true`);
    const files = await Promise.all(
      paths.map(async (filePath) => textOf(await world.call('read_file', { filePath })).includes('sesame')),
    );
    return stdout + (files.includes(true) ? 'read by a file tool' : '');
  };
  return { ...world, home, read };
};

type World = Awaited<ReturnType<typeof openWorld>>;

describeWith('bubblewrap')('NG-05, NG-05b: the store of a server', () => {
  it.each<[string, (world: World) => Promise<string[]> | string[]]>([
    [
      'in the shared folder, of a server that starts after the daemon',
      ({ root, home }) => {
        const store = makeStore(join(root, 'srv/data'));
        announce(home, store);
        return [store];
      },
    ],
    [
      'of the second of two servers',
      ({ root, home }) => {
        announce(home, makeStore(join(root, 'one')));
        const store = makeStore(join(root, 'two'));
        announce(home, store);
        return [store];
      },
    ],
    [
      'by a link in the shared folder',
      ({ root, home }) => {
        const store = makeStore(join(root, 'a/data'));
        announce(home, store);
        symlinkSync('a/data', join(root, 'link'));
        return [join(root, 'link')];
      },
    ],
    [
      'that the server knows by a link',
      ({ root, home }) => {
        const store = makeStore(join(root, 'a/data'));
        symlinkSync(store, join(home, 'data'));
        announce(home, join(home, 'data'));
        return [store];
      },
    ],
    [
      'with a file of the store elsewhere',
      ({ root, home }) => {
        const store = makeStore(join(root, 'db'));
        rmSync(join(store, 'auth-secret'));
        renameSync(join(store, 'drawbridge.db'), join(store, 'other.db'));
        rmSync(join(store, 'notes.txt'));
        for (const end of ['wal', 'shm'])
          renameSync(join(store, `drawbridge.db-${end}`), join(store, `other.db-${end}`));
        announce(home, join(home, 'data'), join(store, 'other.db'));
        return [store];
      },
    ],
    [
      'in a folder that the owner added',
      async ({ base, home, settings }) => {
        const store = makeStore(join(base, 'added/srv'));
        announce(home, store);
        await settings.setReadable(() => [join(base, 'added')]);
        return [store];
      },
    ],
    [
      'that was itself added',
      async ({ base, home, settings }) => {
        const store = makeStore(join(base, 'added'));
        announce(home, store);
        await settings.setReadable(() => [store]);
        return [store];
      },
    ],
    [
      'in a toolchain',
      ({ home }) => {
        const store = makeStore(join(home, '.pyenv/data'));
        announce(home, store);
        return [store];
      },
    ],
    [
      'that holds a toolchain',
      ({ base, home }) => {
        const store = makeStore(join(base, 'srv'));
        mkdirSync(join(store, 'bin'));
        setVariables({ PATH: `${join(store, 'bin')}:${process.env['PATH']}` });
        announce(home, store);
        return [store];
      },
    ],
    [
      'at its default place, of a server that said nothing',
      ({ home }) => [makeStore(join(home, '.local/share/drawbridge'))],
    ],
  ])('is not read: %s', async (_case, place) => {
    const world = await openWorld();
    const names = [
      'auth-secret',
      'drawbridge.db',
      'drawbridge.db-wal',
      'drawbridge.db-shm',
      'notes.txt',
      'other.db',
      'other.db-wal',
    ];
    const folders = await place(world);
    expect(await world.read(folders.flatMap((folder) => names.map((name) => join(folder, name))))).toBe('');
    const listed = await world.run(
      `ls -AR ${folders.join(' ')}; find . -name 'auth-secret'; grep -rl sesame . ; true`,
    );
    expect(listed.stdout).not.toMatch(/sesame|notes\.txt/);
  });

  it('NG-05b: is not read where the server told its own daemon, and no file says it', async () => {
    const folders = makeFolders();
    const store = makeStore(join(folders.root, 'data'));
    const world = await openShell(folders, { closed: [store] });
    expect((await world.run(`cat data/*; ls data; true`)).stdout).toBe('');
    for (const [name, args] of [
      ['read_file', { filePath: 'data/auth-secret' }],
      ['list_files', { dirPath: 'data' }],
      ['write_file', { filePath: 'data/auth-secret', content: 'mine' }],
      ['move', { sourcePath: 'data', destinationPath: 'moved' }],
      ['delete', { path: 'data' }],
      ['copy_file', { sourcePath: 'data/auth-secret', destinationPath: 'copy' }],
    ] as const)
      expect([name, (await world.call(name, args)).isError]).toEqual([name, true]);
    const found = await world.call('search_files', { name: '**', query: 'sesame' });
    expect(found.structuredContent).toMatchObject({ matches: [] });
  });

  it('cannot be renamed, nor the folder above it, nor removed', async () => {
    const { root, home, run, read } = await openWorld();
    const store = makeStore(join(root, 'srv/data'));
    announce(home, store);
    await run(
      'mv srv other; mv srv/data srv/moved; rm -rf srv/data srv; ln -s srv/data l; cp -r srv copy; true',
    );
    expect(
      await read([
        'srv/data/auth-secret',
        'other/data/auth-secret',
        'srv/moved/auth-secret',
        'l/auth-secret',
        'copy/data/auth-secret',
      ]),
    ).toBe('');
    expect(spawnSync('cat', [join(store, 'auth-secret')], { encoding: 'utf8' }).stdout).toBe('sesame');
  });

  it('a stale entry closes nothing: a folder that is gone, a project in its place, a file that is no JSON', async () => {
    const { root, home, run } = await openWorld();
    mkdirSync(join(root, 'project'));
    writeFileSync(join(root, 'project/a.txt'), 'mine');
    announce(home, join(root, 'gone'), join(root, 'project'));
    writeFileSync(join(home, ...serverPlacesFolder, 'broken.json'), '{');
    expect((await run('cat project/a.txt')).stdout).toBe('mine');
  });
});

it('NG-05: knows other names of a folder by bind mounts', () => {
  const line = (shows: string, at: string, device = '8:1') =>
    `1 1 ${device} ${shows} ${at} rw - ext4 /dev/sda rw`;
  const text = [
    line('/', '/'),
    line('/home/ann/data', '/srv/root/alias'),
    line('/home/ann', '/srv/with\\040blank'),
    line('/home/ann/data/deep', '/srv/deep'),
    line('/home/bob', '/srv/bob'),
    line('/home/ann/data', '/other', '8:2'),
  ].join('\n');
  expect(mountNamesOf('/home/ann/data', readMounts(text)).sort()).toEqual([
    '/srv/deep',
    '/srv/root/alias',
    '/srv/with blank/data',
  ]);
});
