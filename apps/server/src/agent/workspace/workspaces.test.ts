import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { commandsWith, openTestWorkspaces, ownSeconds } from '../../../test/workspace.ts';

const foldersIn = (dataDir: string): string[] => {
  const base = join(dataDir, 'workspaces');
  return readdirSync(base).flatMap((user) =>
    readdirSync(join(base, user)).map((name) => join(base, user, name)),
  );
};

/** Nothing of these workspaces runs, nor what slept for that time. */
const nothingRuns = (dataDir: string, seconds: string) =>
  expect.poll(() => [...commandsWith(seconds), ...commandsWith(dataDir)]).toEqual([]);

describeWith('bubblewrap')('a workspace', () => {
  it('keeps files for the file tools and the shell, and nothing else', async () => {
    const { call, shell, port } = await openTestWorkspaces();
    await call('write_file', { filePath: 'notes/a.txt', content: 'one' });
    const ran = await shell('cat notes/a.txt; echo two > b.txt; echo x > /tmp/x; echo x > ~/x; id -un');
    expect(ran).toEqual({ stdout: 'oneworkspace\n', stderr: '', exitCode: 0 });
    expect(await call('read_file', { filePath: 'b.txt' })).toContain('"content":"two\\n"');
    expect((await shell('ls /tmp/x ~/x; ls')).stdout).toBe('b.txt\nnotes\n');
    expect(port.tools().map(({ name }) => name)).toEqual([
      ...['read_file', 'export_file', 'list_files', 'get_file_tree', 'write_file', 'edit_file'],
      ...['create_directory', 'delete', 'move', 'copy_file', 'shell_execute'],
      ...['snapshot', 'list_snapshots', 'restore_snapshot'],
    ]);
  });

  it('is one for each thread of a user, and is removed with its thread', async () => {
    const { dataDir, call, shell, port } = await openTestWorkspaces();
    const where = [{}, { threadId: 'other' }, { userId: 'ben' }];
    for (const who of where) await call('write_file', { filePath: 'a', content: 'x' }, who);
    await shell('mkdir -p closed/below; chmod 000 closed');
    expect(foldersIn(dataDir)).toHaveLength(3);
    await port.remove('ann', 'thread');
    await port.remove('ann', 'other');
    expect(foldersIn(dataDir)).toHaveLength(1);
    await port.remove('ben', 'thread');
    await port.remove('ben', 'never');
    expect(foldersIn(dataDir)).toEqual([]);
  });

  it('WK-03 keeps copies by name, and puts one in its place; links in it are not followed', async () => {
    const { dataDir, call, shell, port } = await openTestWorkspaces({
      snapshotsOfFolder: 2,
      snapshotBytes: 1024 * 1024,
    });
    writeFileSync(join(dataDir, 'secret'), 'canary');
    await shell(
      `echo one > a; mkdir b; ln -s ${dataDir}/secret b/link; ln -s ${dataDir} way; mkfifo pipe; chmod 700 a`,
    );
    expect(await call('snapshot', { name: 'first' })).toBe('Kept as first.');
    await shell('echo two > a; rm -r b way; echo new > c');
    expect(await call('snapshot', { name: 'second' })).toBe('Kept as second.');
    expect(await call('snapshot', { name: 'third' })).toContain(
      'There are 2 snapshots already: first, second',
    );
    expect(await call('list_snapshots', {})).toMatch(/^first \(20.*Z\)\nsecond \(20.*Z\)$/);
    expect(await call('restore_snapshot', { name: 'first' })).toBe('All files are those of first.');
    expect((await shell('cat a; ls; readlink b/link; stat -c %a a')).stdout).toBe(
      `one\na\nb\nway\n${dataDir}/secret\n700\n`,
    );
    for (const name of ['../first', '.x', '', 'a/b'])
      expect(await call('restore_snapshot', { name })).toContain('A name has');
    expect(await call('restore_snapshot', { name: 'never' })).toBe('There is no snapshot never.');
    await shell('truncate -s 2M hole');
    expect(await call('snapshot', { name: 'first' })).toBe('A snapshot has at most 1 MiB.');
    // Those of another chat are its own, and all go with theirs.
    expect(await call('list_snapshots', {}, { threadId: 'other' })).toBe('There are no snapshots.');
    await port.remove('ann', 'thread');
    await port.remove('ann', 'other');
    expect(await call('list_snapshots', {})).toBe('There are no snapshots.');
    expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('canary');
  });

  it('runs nothing between two calls', async () => {
    const { dataDir, shell } = await openTestWorkspaces();
    const seconds = ownSeconds();
    await shell(`sleep ${seconds} & setsid env -i sleep ${seconds} > /dev/null 2>&1 & true`);
    await nothingRuns(dataDir, seconds);
  });
});

const connecting = (to: object) =>
  `/run/drawbridge/bin/node -e 'require("net").connect(${JSON.stringify(to)})` +
  `.on("connect", () => { console.log("connected"); process.exit() }).on("error", (e) => console.log(e.code))'`;

describeWith('bubblewrap')('a command in a workspace', () => {
  it('WK-01 reads nothing of the server', async () => {
    const { dataDir, shell, call } = await openTestWorkspaces();
    writeFileSync(join(dataDir, 'drawbridge.db'), 'the database');
    await call('write_file', { filePath: 'secret', content: 'of another thread' }, { threadId: 'other' });
    vi.stubEnv('SECRET_OF_THE_SERVER', 'in the environment');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout } = await shell(
      `cat ${dataDir}/drawbridge.db ${dataDir}/workspaces/*/*/secret /etc/shadow; ls ${dataDir} / /etc; ` +
        `cat /proc/*/environ /proc/*/cmdline; ls /proc; cat /proc/${process.pid}/environ; env`,
    );
    expect(stdout).not.toMatch(/the database|of another thread|root:|in the environment|vitest/);
    expect(stdout).toContain('/:\nbin\ndev\netc\nhome\n');
    expect(stdout).not.toMatch(new RegExp(`^${process.pid}$`, 'm'));
  });

  it('NA-13c makes no namespace and mounts no file system', async () => {
    const { shell } = await openTestWorkspaces();
    const attempts = [
      `unshare -UrCm sh -c 'mkdir /tmp/c; mount -t cgroup2 none /tmp/c && echo a cgroup file system'`,
      `unshare -Urm sh -c 'mount -t tmpfs none /mnt && echo a mount'`,
      'unshare -U true && echo a user namespace',
      'unshare -Ur --fork --pid true && echo a namespace of processes',
      'unshare -Urn true && echo a network',
      'nsenter --user=/proc/self/ns/user true && echo a namespace of another process',
      'bwrap --ro-bind / / true && echo a container in the container',
      'for at in /sys/fs/cgroup $(grep cgroup /proc/mounts | cut -d " " -f 2); do echo 0 > $at/cgroup.procs && echo $at; done',
    ];
    const { stdout, stderr } = await shell(`${attempts.join('; ')}; true`);
    expect({ stdout, refusals: stderr.match(/unshare: .*not permitted/g)?.length }).toEqual({
      stdout: '',
      refusals: 5,
    });
  });

  it('WK-02 reaches no port, no network and no terminal', async () => {
    const server = createServer((link) => link.destroy());
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { shell } = await openTestWorkspaces();
    const targets = [{ port, host: '127.0.0.1' }, { port: 53, host: '1.1.1.1' }, { path: '/run/a.sock' }];
    const { stdout } = await shell(targets.map(connecting).join('; '));
    expect(stdout).toBe('ECONNREFUSED\nENETUNREACH\nEPERM\n');
    // The session of the workspace's program: in a PID namespace, one that began outside has the number 0.
    expect((await shell('cut -d " " -f 6 /proc/$PPID/stat')).stdout).toMatch(/^[1-9]\d*\n$/);
  });

  it('WK-03 leads no file tool and no removal out of the folder by a link', async () => {
    const { dataDir, shell, call, port } = await openTestWorkspaces();
    const outside = join(dataDir, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'of the server');
    // A removal opens the folders that are closed: those of the workspace alone.
    chmodSync(outside, 0o755);
    await shell('ln -s /etc/passwd passwd; ln -s / root');
    const [folder = ''] = foldersIn(dataDir);
    symlinkSync(outside, join(folder, 'out'));
    for (const filePath of ['out/file', 'passwd', 'root/etc/passwd', '../etc/passwd'])
      expect(await call('read_file', { filePath })).not.toMatch(/of the server|workspace:x/);
    await call('write_file', { filePath: 'out/written', content: 'x' });
    await port.remove('ann', 'thread');
    expect([readdirSync(outside), existsSync(folder)]).toEqual([['file'], false]);
    expect(statSync(outside).mode & 0o777).toBe(0o755);
  });

  it('WK-04 ends with its call, whatever it printed and started', async () => {
    const { dataDir, shell } = await openTestWorkspaces();
    const seconds = ownSeconds();
    // Leaves its group, drops its tag, starts itself again, and keeps the output open.
    const again = `while :; do env -i setsid sleep ${seconds} & sleep 0.05; done`;
    const [loud, ended] = await Promise.all([
      shell('yes', { timeout: 1_000, threadId: 'loud' }),
      shell(`env -i setsid sh -c '${again}' & sleep ${seconds}`, { timeout: 1_000 }),
    ]);
    expect([loud.timedOut, loud.stdout.length < 1_100_000, ended.timedOut]).toEqual([true, true, true]);
    await nothingRuns(dataDir, seconds);
  });

  it('WK-04 ends when its call is cancelled', async () => {
    const { dataDir, shell } = await openTestWorkspaces();
    const [stop, seconds] = [new AbortController(), ownSeconds()];
    const sleeping = `env -i setsid sleep ${seconds}`;
    const running = shell(sleeping, { signal: stop.signal, timeout: 300_000 });
    const ended = running.catch((error: unknown) => error);
    await expect.poll(() => commandsWith(`sleep\0${seconds}`)).not.toEqual([]);
    stop.abort(new Error('stopped'));
    expect(await ended).toEqual(new Error('stopped'));
    await nothingRuns(dataDir, seconds);
  });
});
