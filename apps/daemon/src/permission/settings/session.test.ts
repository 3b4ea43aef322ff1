import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { makeFolders, openTools } from '../../../test/support/tool-fixture.ts';
import { createSession } from './session.ts';

/** Tools that ask, with a rule of the session for one folder. */
const withRule = async () => {
  const world = await openTools({ modes: { filesystemRead: 'allow', filesystemWrite: 'ask' } });
  mkdirSync(join(world.root, 'sub'));
  const reach = () => {
    const resource = `${join(world.root, 'sub')}/`;
    world.session.allow([{ toolGroup: 'filesystemWrite', resource, reach: 'folder' }]);
  };
  reach();
  let writes = 0;
  const isAsked = async () =>
    (await world.call('write_file', { filePath: 'sub/a', content: `${(writes += 1)}` })).isError === true;
  expect(await isAsked()).toBe(false);
  return { ...world, reach, isAsked };
};

const run = (command: string, args: string[]) =>
  expect([command, spawnSync(command, args, { stdio: 'ignore' }).status]).toEqual([command, 0]);

describeWith('mount')('HC-08 a rule of the session', () => {
  it('ends when another folder is mounted over the root, and stays ended without it', async () => {
    const { root, outside, isAsked, reach } = await withRule();
    mkdirSync(join(outside, 'sub'));
    run('mount', ['--bind', outside, root]);
    onTestFinished(() => void spawnSync('umount', ['--lazy', root]));
    expect(await isAsked()).toBe(true);
    reach();
    expect(await isAsked()).toBe(false);
    run('umount', [root]);
    expect(await isAsked()).toBe(true);
  });

  it('ends when an empty disk is mounted over the root', async () => {
    const { root, isAsked } = await withRule();
    run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', root]);
    onTestFinished(() => void spawnSync('umount', ['--lazy', root]));
    mkdirSync(join(root, 'sub'));
    expect(await isAsked()).toBe(true);
  });
});

it.each([
  ['another folder', (root: string) => mkdirSync(join(root, 'sub'), { recursive: true })],
  ['nothing', () => undefined],
  ['a file', (root: string) => writeFileSync(root, '')],
])('HC-08 a rule of the session ends when %s stands at the root', async (_case, make) => {
  const { root, session } = await withRule();
  renameSync(root, `${root}-before`);
  make(root);
  expect(session.rules()).toEqual([]);
});

it('HC-08 a rule of the session stays while the root is the same folder', async () => {
  const { root, isAsked, session } = await withRule();
  renameSync(root, `${root}-before`);
  renameSync(`${root}-before`, root);
  expect([await isAsked(), session.rules().length]).toEqual([false, 1]);
});

it('SH-86 a permission for some time ends where the clock is set back, others do not', () => {
  const { root } = makeFolders();
  let now = 1_000_000;
  const session = createSession({ clock: { ...createFakeClock(), now: () => now }, root });
  session.allow([{ toolGroup: 'network', resource: 'good.test < "/a" $ x' }]);
  session.allow([{ toolGroup: 'network', resource: 'other.test < "/a" $ x' }], 15 * 60_000);
  now += 60_000;
  expect(session.rules()).toHaveLength(2);
  now -= 1;
  expect(session.rules().map(({ endsAt }) => endsAt)).toEqual([null]);
});
