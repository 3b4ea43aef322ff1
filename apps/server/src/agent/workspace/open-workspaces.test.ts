import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeWith } from '../../../../../e2e/services.ts';
import { commandsWith, makeDataDir, openTestWorkspaces, ownSeconds } from '../../../test/workspace.ts';
import { workspaceProgram } from '../../program/built-files.ts';
import { openWorkspaces } from './open-workspaces.ts';

/** bubblewrap with other arguments than it was given. */
const replacement = (dataDir: string, change: string): string => {
  const file = join(dataDir, 'bwrap');
  writeFileSync(
    file,
    `#!/bin/bash\nargs=()\nfor arg in "$@"; do\n${change}\nargs+=("$arg")\ndone\nexec /usr/bin/bwrap "\${args[@]}"\n`,
  );
  chmodSync(file, 0o755);
  return file;
};

const without = (flag: string) => `[ "$arg" = ${flag} ] && continue`;
const before = (flag: string, more: string) => `[ "$arg" = ${flag} ] && args+=(${more})`;
/** Leaves out a flag with its value. */
const withoutPair = (flag: string) =>
  `if [ "$skip" = 1 ]; then skip=0; continue; fi\nif [ "$arg" = ${flag} ]; then skip=1; continue; fi`;

describeWith('bubblewrap')('workspaces', () => {
  it.each([
    ['a network', without('--unshare-net'), 'a command can connect to the server'],
    [
      'the processes of the server',
      without('--unshare-pid'),
      'a command shares namespaces of the server (pid)',
    ],
    ['no filter', withoutPair('--seccomp'), 'a command runs without a filter of system calls'],
    [
      'the data folder',
      before('--remount-ro', '--ro-bind "$DATA" "$DATA"'),
      'a command can read the data folder of the server',
    ],
    [
      'no user namespace',
      'echo "bwrap: No permissions to create a new namespace" >&2; exit 1',
      'the container does not start (The workspace ended without a result: bwrap: No permissions to create a new namespace)',
    ],
  ])('WK-07 are not offered where a container has %s', async (_what, change, reason) => {
    const dataDir = makeDataDir();
    const bwrap = replacement(dataDir, change.replaceAll('$DATA', dataDir));
    const given = { dataDir, program: workspaceProgram, clock: systemClock };
    expect(await openWorkspaces({ ...given, bwrapPlaces: [bwrap] })).toEqual({
      port: null,
      problem: `Workspaces are not offered: ${reason}.`,
    });
  });

  it('NA-13c are not offered where the filter lets user namespaces through', async () => {
    const dataDir = makeDataDir();
    const described = spawnSync(process.execPath, [workspaceProgram, 'describe'], {
      encoding: 'utf8',
    }).stdout;
    const { filter, ...rest } = z.looseObject({ filter: z.string() }).parse(JSON.parse(described));
    const weak = Buffer.from(filter, 'base64');
    // The rules for `unshare`, each for a call that does not exist.
    for (let at = 0; at < weak.length; at += 8)
      if (weak.readUInt16LE(at) === 0x15 && [272, 97].includes(weak.readUInt32LE(at + 4)))
        weak.writeUInt32LE(99_999, at + 4);
    const says = JSON.stringify(JSON.stringify({ ...rest, filter: weak.toString('base64') }));
    const program = join(dataDir, 'weak.cjs');
    const first = `if (process.argv[2] === 'describe') { console.log(${says}); process.exit(0); }\n`;
    writeFileSync(program, first + readFileSync(workspaceProgram, 'utf8'));
    const given = { dataDir, program, clock: systemClock };
    expect((await openWorkspaces(given)).problem).toBe(
      'Workspaces are not offered: a command can make namespaces of its own.',
    );
  });

  it('WK-07 are not offered without bubblewrap, or without their program', async () => {
    const dataDir = makeDataDir();
    const given = { dataDir, program: workspaceProgram, clock: systemClock };
    const missing = await openWorkspaces({ ...given, bwrapPlaces: [] });
    expect(missing.problem).toContain('bubblewrap is not installed');
    expect((await openWorkspaces({ ...given, program: join(dataDir, 'none.cjs') })).port).toBeNull();
  });

  it('WK-01 pass on no folder that the server has inherited open', async () => {
    const dataDir = makeDataDir();
    writeFileSync(join(dataDir, 'drawbridge.db'), 'the database');
    const bwrap = replacement(dataDir, `exec 19< ${dataDir}`);
    const { shell } = await openTestWorkspaces({}, { dataDir, bwrapPlaces: [bwrap] });
    expect((await shell('cat /proc/*/fd/19/drawbridge.db; echo end')).stdout).toBe('end\n');
  });

  it('WK-06 leave nothing running when the server is killed', async () => {
    const [dataDir, seconds] = [makeDataDir(), ownSeconds()];
    const holder = new URL('../../../test/workspace-holder.ts', import.meta.url).pathname;
    const server = spawn(process.execPath, [holder, dataDir, seconds], {
      stdio: 'inherit',
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    await expect.poll(() => commandsWith(`sleep\0${seconds}`)).toHaveLength(2);
    server.kill('SIGKILL');
    await expect.poll(() => [...commandsWith(`sleep\0${seconds}`), ...commandsWith(dataDir)]).toEqual([]);
  });
});
