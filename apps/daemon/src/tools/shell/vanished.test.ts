import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { makeFolders } from '../../../test/support/tool-fixture.ts';
import { createSandboxedLauncher, type Launcher } from './launch.ts';
import { runCommand } from './run-command.ts';
import { makeStandIns } from './sandbox/stand-ins.ts';

const repositoryAt = (folder: string): string => {
  for (const name of ['objects', 'refs', 'hooks']) mkdirSync(join(folder, '.git', name), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(folder, '.git', 'config'), '[user]\n');
  return join(folder, '.git', 'config');
};

const runIn = (cwd: string, text: string, prepare: Launcher) =>
  runCommand(
    {
      tag: nanoid(),
      text,
      cwd,
      timeoutMs: 20_000,
      clock: systemClock,
      signal: new AbortController().signal,
      deniedPaths: { read: [], write: [] },
      progress: () => undefined,
    },
    prepare,
  );

interface Moments {
  /** Between the look at the disk and the start. */
  prepared?(count: number, root: string): void;
  released?(root: string): void;
}

/** A sandbox whose disk is changed at these moments. */
const open = ({ prepared, released }: Moments) => {
  const { root, own } = makeFolders();
  const launcher = createSandboxedLauncher({ root, privateFolder: own });
  const world = { root, starts: 0 };
  const prepare: Launcher = async (need) => {
    const launch = await launcher(need);
    world.starts += 1;
    prepared?.(world.starts, root);
    const release = async () => {
      const notes = await launch.release();
      released?.(root);
      return notes;
    };
    return { ...launch, release };
  };
  return { world, run: (text: string, folder = '') => runIn(join(root, folder), text, prepare) };
};

const removeGoing = (root: string) => rmSync(join(root, 'going'), { recursive: true, force: true });

it('a stand-in is not made in a folder that has vanished', () => {
  const { root } = makeFolders();
  const standIns = makeStandIns([
    { path: join(root, 'gone', 'config'), text: '' },
    { path: join(root, 'gone', 'hooks') },
    { path: join(root, '.vscode') },
  ]);
  expect(standIns.made.map(({ path }) => path)).toEqual([join(root, '.vscode')]);
  standIns.release();
});

describeWith('bubblewrap')('a folder that vanishes while a command is prepared', () => {
  it('is left out at the next try, and what is there stays protected', async () => {
    const { world, run } = open({ prepared: (_count, root) => removeGoing(root) });
    repositoryAt(join(world.root, 'going'));
    const staying = repositoryAt(join(world.root, 'staying'));
    const ended = await run('echo here; echo evil > staying/.git/config');
    expect([ended.stdout, ended.stderr, world.starts]).toEqual([
      'here\n',
      expect.stringMatching(/staying\/\.git\/config: Read-only file system/),
      2,
    ]);
    expect(readFileSync(staying, 'utf8')).toBe('[user]\n');
  });

  it('is protected again when it has come back', async () => {
    const { world, run } = open({
      prepared: (count, root) => void (count === 1 && removeGoing(root)),
      released: (root) => void repositoryAt(join(root, 'going')),
    });
    repositoryAt(join(world.root, 'going'));
    const ended = await run('echo evil > going/.git/config');
    expect([ended.stderr, world.starts]).toEqual([expect.stringContaining('Read-only file system'), 2]);
  });

  it('ends the call as changed where the command was to run in it', async () => {
    const { world, run } = open({ prepared: (_count, root) => removeGoing(root) });
    mkdirSync(join(world.root, 'going'));
    await expect(run('true', 'going')).rejects.toMatchObject({ code: 'CHANGED' });
  });

  it('ends the call with the reason where it goes on vanishing', async () => {
    const { world, run } = open({
      prepared: (_count, root) => removeGoing(root),
      released: (root) => void repositoryAt(join(root, 'going')),
    });
    repositoryAt(join(world.root, 'going'));
    const ended = await run('true');
    expect([ended.stderr, world.starts]).toEqual([
      expect.stringMatching(/^bwrap: Can't find source path/),
      5,
    ]);
  });
});

describeWith('bubblewrap')('a command that only says so', () => {
  it.each([
    [
      'what bubblewrap says',
      'echo x >> ran; echo "bwrap: Can\'t find source path /gone: No such file or directory" >&2; exit 1',
    ],
    [
      'it on every file that it can open',
      'echo x >> ran; for fd in 3 4 5 6 7 8 9; do eval "echo > /proc/self/fd/$fd"; done 2> /dev/null; echo "bwrap: Can\'t find source path /gone: No such file or directory" >&2; exit 1',
    ],
  ])('runs once: %s', async (_case, text) => {
    const { world, run } = open({});
    const ended = await run(text);
    expect([ended.exitCode, readFileSync(join(world.root, 'ran'), 'utf8'), world.starts]).toEqual([
      1,
      'x\n',
      1,
    ]);
  });
});

describeWith('bubblewrap')('HN-04 a command that ran is not taken for one that was refused', () => {
  it.each([
    [
      'what it reads of process 1, on stderr',
      `exec 3>&2 2>/dev/null; R=$(tr '\\0' '\\n' </proc/1/environ | sed -n 's/^DRAWBRIDGE_REFUSAL=//p'); exec 2>&3; printf %s "$R" >&2`,
    ],
    ['the word on stderr', 'printf refused >&2'],
    [
      'the word on every file of every process',
      'for p in /proc/[0-9]*; do for fd in 1 2 3 4 5 6 7 8 9; do printf refused > $p/fd/$fd; done; done 2> /dev/null',
    ],
    ['nothing', ':'],
  ])('where it writes %s', async (_case, text) => {
    const { world, run } = open({});
    const ended = await run(`echo x >> ran; ${text}; exit 126`);
    expect([ended.exitCode, readFileSync(join(world.root, 'ran'), 'utf8'), world.starts]).toEqual([
      126,
      'x\n',
      1,
    ]);
  });
});
