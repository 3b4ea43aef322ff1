import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextMacrotask } from '@drawbridge/kit';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { cleanUp } from '../../../../test/support/clean-up.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { copyLimits, settleRepository } from './new-repository.ts';

describeWith(
  'bubblewrap',
  'git',
  'mount',
)('NG-11 a repository that moves to another disk', () => {
  const withOtherDisk = () => {
    const folders = makeFolders();
    const disk = join(folders.base, 'disk');
    mkdirSync(disk);
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]);
    cleanUp(() => void spawnSync('umount', ['--lazy', disk]));
    return { folders, disk };
  };
  const onOtherDisk = async () => {
    const { folders, disk } = withOtherDisk();
    vi.stubEnv('TMPDIR', disk);
    cleanUp(() => void vi.unstubAllEnvs());
    return openShell(folders);
  };

  it('is copied in steps, between which other work has its turn', async () => {
    const { root, run } = await onOtherDisk();
    const count = 100;
    let isOver = false;
    const running = run(
      `git init --quiet; mkdir .git/big; cd .git/big; seq ${count} | split --lines 1 --suffix-length 4 --numeric-suffixes`,
    ).finally(() => (isOver = true));
    const seen = new Set<number>();
    const big = join(root, '.git/big');
    while (!isOver) {
      if (existsSync(big)) seen.add(readdirSync(big).length);
      await nextMacrotask();
    }
    const { exitCode, notes } = await running;
    expect([exitCode, notes, readdirSync(big).length]).toEqual([0, undefined, count]);
    expect([...seen].filter((length) => length > 0 && length < count).length).toBeGreaterThan(1);
  });

  it('stays where it is, and the result says so, where it cannot be copied', async () => {
    const { root, run } = await onOtherDisk();
    const { exitCode, notes = [] } = await run('git init --quiet; mkfifo .git/pipe');
    expect([exitCode, readdirSync(root)]).toEqual([0, []]);
    const [, folder = ''] = /What the command made at \.git stays at (.*?):/.exec(notes.join()) ?? [];
    expect(existsSync(join(folder, 'HEAD'))).toBe(true);
    expect((await run('git init --quiet && git status --short')).exitCode).toBe(0);
  });

  it('is moved up to 100,000 files and 4 GiB', () => {
    expect(copyLimits).toEqual({ entries: 100_000, bytes: 4 * 1024 ** 3 });
  });

  const most = { entries: 12, bytes: 4_096 };
  /** What stands beside the `HEAD` of a new repository; 12 files and 4,096 bytes may move. */
  const contents: [string, string, boolean][] = [
    ['as many files', 'touch $(seq 11)', true],
    ['one file more', 'touch $(seq 12)', false],
    ['one hidden file more', 'touch $(seq 11) .x', false],
    ['folders alone, one more', 'mkdir $(seq 12)', false],
    [
      'one file more, each below another',
      'mkdir -p 1/2/3/4/5/6 && touch 1/a 1/2/a 1/2/3/a 1/2/3/4/a 1/2/3/4/5/6/a 1/b',
      false,
    ],
    ['one link more', 'ln -s HEAD a && for n in $(seq 11); do ln -s HEAD $n; done', false],
    ['one more name of one file', 'touch a && for n in $(seq 11); do ln a $n; done', false],
    [
      'one file more, with names that are not UTF-8',
      `for n in $(seq 12); do touch "$n$(printf '\\377')"; done`,
      false,
    ],
    ['one file more, in a closed folder', 'mkdir a && (cd a; touch $(seq 11)) && chmod 000 a', false],
    ['as many bytes', 'head -c 4095 /dev/zero > a', true],
    ['one byte more', 'head -c 4096 /dev/zero > a', false],
    ['one byte more in two files', 'head -c 2048 /dev/zero > a; head -c 2048 /dev/zero > b', false],
    ['a file of nothing, of 5 GiB', 'truncate -s 5G a', false],
    ['one file twice, each time with its bytes', 'head -c 2048 /dev/zero > a; ln a b', false],
  ];
  it('stays where it is beyond the limits, with all that is in it', async () => {
    const { folders, disk } = withOtherDisk();
    for (const [at, [what, command, isMoved]] of contents.entries()) {
      const folder = join(disk, String(at));
      const root = join(folders.root, String(at));
      for (const one of [folder, root]) mkdirSync(one);
      writeFileSync(join(folder, 'HEAD'), 'x');
      const ran = spawnSync('/bin/sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
      expect([what, ran.status, ran.stderr]).toEqual([what, 0, '']);
      const { notes, stays } = await settleRepository(folder, root, most);
      expect([what, stays, readdirSync(root)]).toEqual([what, !isMoved, isMoved ? ['.git'] : []]);
      expect([what, existsSync(join(isMoved ? join(root, '.git') : folder, 'HEAD'))]).toEqual([what, true]);
      if (!isMoved)
        expect(notes.join()).toContain(`stays at ${folder}: the shared folder is on another disk`);
    }
  });
});
