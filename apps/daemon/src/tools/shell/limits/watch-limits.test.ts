import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { createSandboxedLauncher } from '../launch.ts';
import { runCommand } from '../run-command.ts';
import { treeLimits, type TreeLimits } from './watch-limits.ts';

const mebibyte = 1_024 ** 2;
const node = JSON.stringify(process.execPath);

const run = async (text: string, limits: Partial<TreeLimits> = {}) => {
  const { root, own: privateFolder } = makeFolders();
  const tag = nanoid();
  const ended = await runCommand(
    {
      tag,
      text,
      cwd: root,
      timeoutMs: 60_000,
      clock: systemClock,
      signal: new AbortController().signal,
      deniedPaths: { read: [], write: [] },
      limits: { ...treeLimits, ...limits },
      progress: () => undefined,
    },
    createSandboxedLauncher({ root, privateFolder }),
  );
  return { ...ended, root };
};

/** Whether a process with this word among its arguments runs. */
const runs = (word: string): boolean =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .some((line) => line.startsWith('sleep') && line.includes(word));

describeWith('bubblewrap', 'python3')('limits of a command with all that it starts', () => {
  it('SH-89 processes that each stay within their limits end together when they use too much memory', async () => {
    const fill = `${node} -e 'const kept = Buffer.alloc(120 * ${mebibyte}, 7); setTimeout(() => kept, 100_000)'`;
    const { exceeded, timedOut, exitCode } = await run(`${fill} & ${fill} & ${fill} & wait`, {
      bytes: 300 * mebibyte,
    });
    expect([exceeded, timedOut, exitCode === 0]).toEqual(['memory', false, false]);
  });

  it('SH-89 memory that processes share after a fork counts once', async () => {
    const script = `import os, time
kept = bytearray(100 * ${mebibyte})
for at in range(0, len(kept), 4096): kept[at] = 1
if os.fork() == 0:
    time.sleep(2.5); os._exit(0)
os.wait()
print('ended')`;
    const { exceeded, stdout } = await run(`python3 -c "${script}"`, { bytes: 160 * mebibyte });
    expect([exceeded, stdout]).toEqual([undefined, 'ended\n']);
  });

  it('SH-89 too many processes end with their descendants, also of root', async () => {
    const { exceeded } = await run(
      'i=0; while [ $i -lt 90 ]; do setsid sleep 1000.75 & i=$((i+1)); done; wait',
      { processes: 60 },
    );
    expect([exceeded, runs('1000.75')]).toEqual(['processes', false]);
  });

  it('SH-89 a command that fills the disk is ended before it is full', async () => {
    const { exceeded, root } = await run(
      'head -c 120M /dev/zero > big; touch written; while :; do sleep 1; done',
      { keptFree: (atStart) => atStart - 60 * mebibyte },
    );
    expect([exceeded, existsSync(join(root, 'big'))]).toEqual(['disk', true]);
  });

  it('SH-89 a command that makes too many files for the disk is ended', async () => {
    const { exceeded } = await run('seq 6000 | xargs touch; while :; do sleep 1; done', {
      keptFiles: (atStart) => atStart - 100,
    });
    expect(exceeded).toBe('disk');
  });

  it('SU-60 many short processes run under the limits', async () => {
    const { exceeded, exitCode } = await run("seq 300 | xargs -P 4 -n 1 sh -c 'exit 0'");
    expect([exceeded, exitCode]).toEqual([undefined, 0]);
  });
});
