import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { everythingAllowed, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { snapshot } from '../../../test/support/attack-fixture.ts';

const withTree = async () => {
  const world = await openTools({ modes: everythingAllowed });
  mkdirSync(join(world.root, 'full/below'), { recursive: true });
  mkdirSync(join(world.root, 'other'));
  writeFileSync(join(world.root, 'full/below/a.txt'), 'a');
  writeFileSync(join(world.root, 'other/b.txt'), 'b');
  writeFileSync(join(world.root, 'c.txt'), 'c');
  return world;
};

it.each([
  ['into itself', 'full', 'full/x', 'A folder cannot be moved into itself'],
  ['into what is below it', 'full', 'full/below/x', 'A folder cannot be moved into itself'],
  ['onto itself', 'full', 'full', 'There is a folder at the destination already'],
  ['over a full folder', 'full', 'other', 'There is a folder at the destination already'],
  ['over a file', 'full', 'c.txt', 'Something already exists at this path'],
])(
  'FS-16 a folder is not moved %s, and nothing is lost',
  async (_case, sourcePath, destinationPath, text) => {
    const { root, call } = await withTree();
    const before = snapshot(root);
    expect(textOf(await call('move', { sourcePath, destinationPath }))).toBe(text);
    expect(snapshot(root)).toEqual(before);
  },
);

it('FS-16 a file is not moved over a full folder', async () => {
  const { root, call } = await withTree();
  const before = snapshot(root);
  const result = await call('move', { sourcePath: 'c.txt', destinationPath: 'full' });
  expect(textOf(result)).toBe('There is a folder at the destination already');
  expect(snapshot(root)).toEqual(before);
});

const run = (command: string, args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

describeWith('mount')('FS-12 FS-15 a disk that is mounted below the folder', () => {
  it('is neither deleted nor moved with what it stands in', async () => {
    const { root, call } = await withTree();
    const mount = join(root, 'full/below');
    run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount]);
    onTestFinished(() => void run('umount', ['--lazy', mount]));
    writeFileSync(join(mount, 'kept.txt'), 'kept');
    const before = snapshot(root);
    for (const [name, args] of [
      ['delete', { path: 'full' }],
      ['delete', { path: 'full/below' }],
      ['move', { sourcePath: 'full', destinationPath: 'gone' }],
    ] as const) {
      expect([name, textOf(await call(name, args))]).toEqual([
        name,
        'Another disk is mounted below this folder',
      ]);
    }
    const across = await call('move', { sourcePath: 'c.txt', destinationPath: 'full/below/c.txt' });
    expect(across.isError).toBe(true);
    expect(snapshot(root)).toEqual(before);
  });
});
