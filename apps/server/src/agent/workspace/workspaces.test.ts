import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { commandsWith, openTestWorkspaces, ownSeconds } from '../../../test/workspace.ts';

const foldersIn = (base: string): string[] =>
  readdirSync(base).flatMap((user) => readdirSync(join(base, user)).map((name) => join(base, user, name)));

describeWith('bubblewrap')('a workspace', () => {
  it('keeps files for the file tools and the shell, and nothing else', async () => {
    const { call, shell, port } = await openTestWorkspaces();
    await call('write_file', { filePath: 'notes/a.txt', content: 'one' });
    const ran = await shell('cat notes/a.txt; echo two > b.txt; echo x > /tmp/x; echo x > ~/x; id -un');
    expect(ran).toEqual({ stdout: 'oneworkspace\n', stderr: '', exitCode: 0 });
    expect(await call('read_file', { filePath: 'b.txt' })).toContain('"content":"two\\n"');
    expect((await shell('ls /tmp ~; ls')).stdout).toMatch(/^\/home\/workspace:\n\n\/tmp:\n.*\nb\.txt\nnotes\n$/s);
    expect(port.tools().map(({ name }) => name)).toEqual([
      ...['read_file', 'list_files', 'get_file_tree', 'write_file', 'edit_file', 'create_directory'],
      ...['delete', 'move', 'copy_file', 'shell_execute'],
    ]);
  });

  it('is one for each thread of a user, and is removed with its thread', async () => {
    const { dataDir, call, port } = await openTestWorkspaces();
    const base = join(dataDir, 'workspaces');
    const where = [{}, { threadId: 'other' }, { userId: 'ben' }];
    for (const who of where) await call('write_file', { filePath: 'a', content: 'x' }, who);
    const [folder = ''] = foldersIn(base);
    expect(foldersIn(base)).toHaveLength(3);
    for (const [userId, threadId] of [
      ['ann', 'thread'],
      ['ann', 'other'],
    ] as const)
      await port.remove(userId, threadId);
    expect(foldersIn(base)).toHaveLength(1);
    await port.remove('ben', 'thread');
    await port.remove('ben', 'never');
    expect([foldersIn(base), existsSync(folder)]).toEqual([[], false]);
  });

  it('runs nothing between two calls', async () => {
    const { dataDir, shell } = await openTestWorkspaces();
    const seconds = ownSeconds();
    await shell(`sleep ${seconds} & setsid env -i sleep ${seconds} > /dev/null 2>&1 & true`, { timeout: 1_000 });
    await vi.waitFor(() => expect([...commandsWith(seconds), ...commandsWith(dataDir)]).toEqual([]));
  });
});

describeWith('bubblewrap')('a command in a workspace', () => {
  it('US-16 reads nothing of the server', async () => {
    const { dataDir, shell, call } = await openTestWorkspaces();
    writeFileSync(join(dataDir, 'drawbridge.db'), 'the database');
    await call('write_file', { filePath: 'secret', content: 'of another thread' }, { threadId: 'other' });
    process.env['SECRET_OF_THE_SERVER'] = 'in the environment';
    const { stdout } = await shell(
      `cat ${dataDir}/drawbridge.db ${dataDir}/workspaces/*/*/secret /etc/shadow; ls ${dataDir} / /etc; ` +
        `cat /proc/*/environ /proc/*/cmdline; ls /proc; cat /proc/${process.pid}/environ; env`,
    );
    delete process.env['SECRET_OF_THE_SERVER'];
    expect(stdout).not.toMatch(/the database|of another thread|root:|in the environment|vitest/);
    expect(stdout).toContain('/:\nbin\ndev\netc\nhome\n');
    expect(stdout).not.toMatch(new RegExp(`^${process.pid}$`, 'm'));
  });

  it('US-17 reaches no port and no network', async () => {
    const { createServer } = await import('node:net');
    const server = createServer((link) => link.destroy());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { shell } = await openTestWorkspaces();
    const connect = (to: object) =>
      `/run/drawbridge/bin/node -e 'require("net").connect(${JSON.stringify(to)}).on("connect", () => { console.log("connected"); process.exit() }).on("error", (e) => console.log(e.code))'`;
    const targets = [{ port, host: '127.0.0.1' }, { port: 53, host: '1.1.1.1' }, { path: '/run/docker.sock' }];
    const { stdout } = await shell(targets.map(connect).join('; '));
    server.close();
    expect(stdout).toBe('ECONNREFUSED\nENETUNREACH\nEPERM\n');
  });

  it('US-18 leads no file tool and no removal out of the folder by a link', async () => {
    const { dataDir, shell, call, port } = await openTestWorkspaces();
    const outside = join(dataDir, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'of the server');
    await shell(`ln -s ${outside} out; ln -s /etc/passwd passwd; ln -s / root`);
    const [folder = ''] = foldersIn(join(dataDir, 'workspaces'));
    symlinkSync(outside, join(folder, 'made-by-the-server'));
    for (const filePath of ['out/file', 'passwd', 'root/etc/passwd', '../../etc/passwd', 'made-by-the-server/file'])
      expect(await call('read_file', { filePath })).not.toMatch(/of the server|workspace:x/);
    await call('write_file', { filePath: 'out/written', content: 'x' });
    await port.remove('ann', 'thread');
    expect([readdirSync(outside), existsSync(folder)]).toEqual([['file'], false]);
  });

  it('US-19 ends with its call, whatever it printed and started', async () => {
    const { dataDir, shell } = await openTestWorkspaces();
    const loud = await shell('yes', { timeout: 1_000 });
    expect([loud.timedOut, loud.stdout.length < 1_100_000]).toEqual([true, true]);

    const seconds = ownSeconds();
    // Leaves its group, drops its tag, starts itself again, and keeps the output open.
    const bomb = `f() { sleep 0.1; env -i setsid sh -c "$1" sh "$1" & sleep ${seconds}; }; f "$1"`;
    const ended = await shell(`for i in 1 2 3 4 5; do sh -c '${bomb}' sh '${bomb}' & done; sleep 60`, {
      timeout: 1_000,
    });
    expect(ended.timedOut).toBe(true);
    await vi.waitFor(() => expect([...commandsWith(seconds), ...commandsWith(dataDir)]).toEqual([]));
  });

  it('US-19 ends when its call is cancelled', async () => {
    const { dataDir, shell } = await openTestWorkspaces();
    const [stop, seconds] = [new AbortController(), ownSeconds()];
    const running = shell(`env -i setsid sleep ${seconds}`, { signal: stop.signal }).catch((error: unknown) => error);
    await vi.waitFor(() => expect(commandsWith(`sleep\0${seconds}`)).not.toEqual([]), 10_000);
    stop.abort(new Error('stopped'));
    expect(await running).toEqual(new Error('stopped'));
    await vi.waitFor(() => expect([...commandsWith(seconds), ...commandsWith(dataDir)]).toEqual([]));
  });
});
