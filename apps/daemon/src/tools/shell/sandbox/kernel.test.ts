import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../testing/tool-fixture.ts';
import { callTrial } from '../call-trial.ts';
import { createSandboxedLauncher } from '../launch.ts';
import { runCommand } from '../run-command.ts';
import { openShell } from '../../../testing/shell-fixture.ts';

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

describeWith('bubblewrap')('FS-26 more folders than are looked into', () => {
  it('what was not seen is read-only, and the rest can be written', async () => {
    const { root, own } = makeFolders();
    for (let at = 0; at < 240; at += 1) mkdirSync(join(root, `many/${at % 3}/${at}`), { recursive: true });
    mkdirSync(join(root, 'many/2/239/sub/.vscode'), { recursive: true });
    const launcher = createSandboxedLauncher({ root, privateFolder: own }, 200);
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
    const made = await run('echo x > free; echo x > many/2/239/sub/.vscode/tasks.json');
    expect([made.exitCode, (await run('cat free')).stdout]).toEqual([2, 'x\n']);
  });
});
