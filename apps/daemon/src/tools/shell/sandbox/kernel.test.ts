import { spawnSync } from 'node:child_process';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { callTrial } from '../call-trial.ts';
import { createSandboxedLauncher } from '../launch.ts';
import { runCommand } from '../run-command.ts';
import { coversOf } from './covers.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';

const python = (text: string): string => `python3 -c '${text.replaceAll("'", String.raw`'\''`)}'`;

describeWith('bubblewrap', 'python3')('SH-44 what a command shares through the kernel', () => {
  it("does not see other programs' System V shared memory", async () => {
    const key = 0x6472_6177;
    const libc = 'import ctypes; c = ctypes.CDLL(None, use_errno=True); c.shmat.restype = ctypes.c_void_p';
    const make = `${libc}; i = c.shmget(${key}, 64, 0o1600); p = c.shmat(i, None, 0); ctypes.memmove(p, b"sesame", 6); print(i)`;
    const id = spawnSync('python3', ['-c', make], { encoding: 'utf8' }).stdout.trim();
    onTestFinished(() => void spawnSync('python3', ['-c', `${libc}; c.shmctl(${id}, 0, None)`]));
    const read = `${libc}\nfor i in (c.shmget(${key}, 0, 0), ${id}):\n p = c.shmat(i, None, 0)\n print(ctypes.string_at(p, 6) if p not in (None, 2**64-1) else ctypes.get_errno() > 0)`;
    expect(spawnSync('python3', ['-c', read], { encoding: 'utf8' }).stdout).toContain('sesame');
    const { run } = await openShell();
    expect((await run(python(read))).stdout).toBe('True\nTrue\n');
  });

  it('reads and makes no kernel keys, and opens no VSOCK', async () => {
    const { root, run } = await openShell();
    writeFileSync(join(root, 'calls'), callTrial('x64') ?? '', { mode: 0o755 });
    const outside = spawnSync(join(root, 'calls')).status ?? 0;
    expect(outside & 1).toBe(1);
    expect((await run('./calls')).exitCode).toBe(0);
    const { stdout } = await run(
      python(
        'import ctypes; c = ctypes.CDLL(None); print([c.syscall(n, 0, -3, 0) for n in (248, 249, 250)])',
      ),
    );
    expect(stdout).toBe('[-1, -1, -1]\n');
  });

  it('sends no datagram to a socket of another program', async () => {
    const folders = makeFolders();
    const { run } = await openShell(folders);
    const path = join(folders.outside, 'log');
    const send = `import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.sendto(b"sesame", "${path}")`;
    // Outside it gets as far as to look for the receiver.
    expect(spawnSync('python3', ['-c', send], { encoding: 'utf8' }).stderr).toContain('No such file');
    expect((await run(python(send))).stderr).toContain('Operation not permitted');
  });
});

describeWith('bubblewrap')('SH-39 the terminal of drawbridge', () => {
  it('has a session of which no command is a part, so none can type into it', async () => {
    const { run } = await openShell();
    // In a PID namespace a session that began outside has the number 0.
    expect((await run('cut -d " " -f 6 /proc/self/stat')).stdout).toMatch(/^[1-9]\d*\n$/);
  });
});

/** Runs in a sandbox that looks into 200 folders. */
const openNarrow = () => {
  const { root, own } = makeFolders();
  const launcher = createSandboxedLauncher({ root, privateFolder: own }, { limit: 200 });
  const run = (text: string) =>
    runCommand(
      {
        tag: nanoid(),
        text,
        cwd: root,
        timeoutMs: 20_000,
        clock: systemClock,
        signal: new AbortController().signal,
        deniedPaths: { read: [], write: [] },
        progress: () => undefined,
      },
      launcher,
    );
  return { root, run };
};

describeWith('bubblewrap')('more folders than are looked into', () => {
  it('FS-26 what was not seen is read-only, and the rest can be written', async () => {
    const { root, run } = openNarrow();
    for (let at = 0; at < 240; at += 1) mkdirSync(join(root, `many/${at % 3}/${at}`), { recursive: true });
    mkdirSync(join(root, 'many/2/239/sub/.vscode'), { recursive: true });
    const made = await run('echo x > free; echo x > many/2/239/sub/.vscode/tasks.json');
    expect([made.exitCode, (await run('cat free')).stdout]).toEqual([2, 'x\n']);
  });

  it('HN-15 commands read where one of them has made too many in the folder itself', async () => {
    const { root, run } = openNarrow();
    expect((await run('echo x > kept; mkdir $(seq 450)')).exitCode).toBe(0);
    const reading = await run('cat kept; echo y > kept; rmdir 7; echo t > $TMPDIR/t && cat $TMPDIR/t');
    expect(reading).toMatchObject({ stdout: 'x\nt\n', exitCode: 0 });
    expect(reading.left.notes.join()).toContain('commands only read it until some are deleted');
    for (let at = 1; at <= 300; at += 1) rmdirSync(join(root, String(at)));
    expect(await run('echo y > kept; cat kept')).toMatchObject({ stdout: 'y\n', left: { notes: [] } });
  });
});

const paths = (count: number, pathOf: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => pathOf(at));
const long = 'd'.repeat(200);

it.each<[string, Parameters<typeof coversOf>[1], string[]]>([
  ['nothing', { unseen: [], paths: [] }, []],
  ['few', { unseen: ['/r/a'], paths: ['/r/b/.envrc'] }, ['/r/a']],
  [
    'many that were not inspected, in one folder',
    { unseen: paths(300, (at) => `/r/a/${at}`), paths: [] },
    ['/r/a'],
  ],
  [
    'many that were not inspected, in the root',
    { unseen: paths(300, (at) => `/r/${at}`), paths: [] },
    ['/r'],
  ],
  ['the root', { unseen: ['/r'], paths: ['/r/.envrc'] }, ['/r']],
  [
    'many protected paths in one folder',
    { unseen: [], paths: ['/r/.envrc', ...paths(1_100, (at) => `/r/a/${at}/.envrc`)] },
    ['/r/a'],
  ],
  [
    'many protected paths in the root',
    { unseen: [], paths: paths(1_100, (at) => `/r/${at}/.git/config`) },
    ['/r'],
  ],
  [
    'a path that is too long to be closed',
    { unseen: [], paths: [`/r/${paths(20, () => long).join('/')}/.envrc`] },
    [`/r/${paths(19, () => long).join('/')}`],
  ],
  [
    'many long paths',
    { unseen: [], paths: paths(150, (at) => `/r/a/${paths(18, () => long).join('/')}/${at}/.envrc`) },
    [`/r/a/${paths(18, () => long).join('/')}`],
  ],
])('HN-15 NG-10 read-only in one piece, for %s', (_what, given, expected) => {
  expect(coversOf('/r', given)).toEqual(expected);
});
