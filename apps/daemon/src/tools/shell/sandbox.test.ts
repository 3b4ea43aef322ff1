import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeWith } from '../../../../../e2e/services.ts';
import { everythingAllowed, makeFolders, textOf, tryOut } from '../try-out.ts';
import { shellLimits } from './prelude.ts';

const output = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.number().nullable() });
const node = JSON.stringify(process.execPath);

const open = async (folders = makeFolders()) => {
  const world = await tryOut({ modes: { ...everythingAllowed, shell: 'allow' }, folders });
  writeFileSync(join(folders.outside, 'secret.txt'), 'sesame');
  const run = async (command: string, more: Record<string, unknown> = {}) =>
    output.parse(JSON.parse(textOf(await world.call('shell_execute', { command, ...more }))));
  /** Runs a script with Node in the sandbox. */
  const script = (text: string) => run(`${node} -e '${text.replaceAll("'", String.raw`'\''`)}'`);
  return { ...world, run, script };
};

/** Each name with the kind and the size of what stands there. */
const treeOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const found = statSync(join(folder, name));
      return `${name} ${found.isDirectory() ? 'folder' : found.size}`;
    })
    .sort();

describeWith('bubblewrap')('SH-34 the sandbox', () => {
  it.each<[string, (place: { outside: string; own: string }) => string]>([
    ['a file beside the root', ({ outside }) => `echo x > ${outside}/new`],
    ['a file that is there', ({ outside }) => `echo x >> ${outside}/secret.txt`],
    ['through a link', ({ outside }) => `ln -s ${outside} out; echo x > out/new`],
    [
      'through a link in its temporary folder',
      ({ outside }) => `ln -s ${outside} $TMPDIR/o; echo x > $TMPDIR/o/n`,
    ],
    ['the settings', ({ own }) => `echo '{}' > ${own}/settings.json`],
    ['the folder of the settings', ({ own }) => `rm -rf ${own}; mkdir -p ${own}; echo x > ${own}/new`],
    ['the home folder', () => `echo x > "$HOME/drawbridge-was-here"`],
    ['the time of a file', ({ outside }) => `touch -d 2001-01-01 ${outside}/secret.txt`],
    ['the mode of a file', ({ outside }) => `chmod 777 ${outside}/secret.txt`],
    ['by moving a file there', ({ outside }) => `echo x > a; mv a ${outside}/new`],
    ['by a hard link', ({ outside }) => `ln ${outside}/secret.txt here && echo x > here`],
    ['by removing', ({ outside }) => `rm -rf ${outside}`],
    [
      'after mounting anew',
      ({ outside }) => `mount -o remount,rw,bind / / ; mount -o remount,rw / ; echo x > ${outside}/new`,
    ],
    [
      'after unmounting',
      ({ outside, own }) => `umount ${own}; umount -l /; echo x > ${outside}/new; echo x > ${own}/new`,
    ],
    [
      'in namespaces of its own',
      ({ outside }) => `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x > ${outside}/new'`,
    ],
    ['through the root of process 1', ({ outside }) => `echo x > /proc/1/root${outside}/new`],
    [
      'through the folder of its parent',
      ({ outside }) => `echo x > /proc/$PPID/root${outside}/new; echo x > /proc/$PPID/cwd/../outside/new`,
    ],
    ['by a device', () => `mknod disk b 8 0 && echo x > disk`],
  ])('does not write %s', async (_case, command) => {
    const { outside, own, run } = await open();
    const before = [treeOf(outside), treeOf(own), statSync(join(outside, 'secret.txt'))];
    await run(`${command({ outside, own })}; true`);
    expect([treeOf(outside), treeOf(own), statSync(join(outside, 'secret.txt'))]).toEqual(before);
    expect(existsSync(join(homedir(), 'drawbridge-was-here'))).toBe(false);
  });

  it('writes in the root and in a temporary folder, which is gone afterwards', async () => {
    const { root, run } = await open();
    const { stdout, exitCode } = await run(
      'echo in > in.txt; echo t > "$TMPDIR/t"; cat "$TMPDIR/t"; echo "$TMPDIR"',
    );
    const [text, folder = ''] = stdout.split('\n');
    expect([exitCode, text, readFileSync(join(root, 'in.txt'), 'utf8')]).toEqual([0, 't', 'in\n']);
    expect([folder.startsWith(realpathSync(tmpdir())), existsSync(folder)]).toEqual([true, false]);
  });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.mcp.json',
    '.vscode/tasks.json',
    '.claude/settings.json',
    '.bashrc',
    '.envrc',
    '.gitmodules',
    '.ssh/authorized_keys',
  ])('FS-26 does not write %s before it exists', async (path) => {
    const { root, run } = await open();
    await run(`mkdir -p "$(dirname ${path})"; echo x > ${path}; mv ${path} other; true`);
    expect(treeOf(root).filter((name) => !name.startsWith('other '))).toEqual([]);
  });

  it.each([
    ['a hook', 'echo x > .git/hooks/pre-commit'],
    ['the config', 'git config core.fsmonitor ./evil; echo x >> .git/config'],
    ['the folder of hooks', 'mv .git/hooks .git/old; mkdir .git/hooks; echo x > .git/hooks/pre-commit'],
    ['the folder of git', 'mv .git old; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit'],
    ['the folder of git by removing it', 'rm -rf .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit'],
    ['a hook of a submodule', 'echo x > .git/modules/sub/hooks/post-checkout'],
    ['the config of a repository further down', 'echo x >> deep/er/.git/config'],
    ['settings of an editor further down', 'echo x > deep/er/.vscode/tasks.json'],
    [
      'by a link',
      'ln -sf ../../config .git/objects/c; echo x >> .git/config; ln -sfn . l; echo x >> l/.git/config',
    ],
  ])('SH-34 does not change what git or an editor runs: %s', async (_case, command) => {
    const folders = makeFolders();
    const put = (path: string, text: string) => {
      mkdirSync(join(folders.root, path, '..'), { recursive: true });
      writeFileSync(join(folders.root, path), text);
    };
    const kept = [
      '.git/HEAD',
      '.git/config',
      '.git/hooks/sample',
      '.git/modules/sub/hooks/sample',
      '.git/modules/sub/config',
      'deep/er/.git/config',
      'deep/er/.vscode/tasks.json',
    ];
    for (const path of kept) put(path, 'kept');
    mkdirSync(join(folders.root, '.git/objects'));
    const { root, run } = await open(folders);
    await run(`${command}; true`);
    expect(kept.slice(1).map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(
      kept.slice(1).map(() => 'kept'),
    );
    expect(readdirSync(join(root, '.git/hooks'))).toEqual(['sample']);
    expect(readdirSync(join(root, '.git/modules/sub/hooks'))).toEqual(['sample']);
  });

  it.each([
    ['a substitution', '$(touch pwned)'],
    ['backticks', '`touch pwned`'],
    ['quotes', `a'b"c`],
    ['a semicolon', 'x; touch pwned #'],
    ['a pattern', 'a[b]*?{c,d}'],
    ['a dash', '--bind'],
    ['blanks', '  two  blanks  '],
    ['a backslash', String.raw`a\b`],
    ['a tilde and a dollar', '~$HOME'],
  ])('keeps its shape where a folder has %s in its name', async (_case, name) => {
    const folders = makeFolders();
    const root = join(folders.root, name);
    mkdirSync(join(root, name, '.vscode'), { recursive: true });
    writeFileSync(join(root, name, '.vscode', 'tasks.json'), 'kept');
    const { run } = await open({ ...folders, root });
    const { exitCode } = await run('echo x > "$NAME/.vscode/tasks.json"; touch new', {});
    await run('for f in */.vscode/tasks.json ./*/.vscode/tasks.json; do echo x > "$f"; done; true');
    expect([exitCode, existsSync(join(root, 'new'))]).toEqual([0, true]);
    expect(readFileSync(join(root, name, '.vscode', 'tasks.json'), 'utf8')).toBe('kept');
    expect([folders.root, folders.base, root].filter((one) => existsSync(join(one, 'pwned')))).toEqual([]);
  });

  it('leaves nothing of its own in the root', async () => {
    const { root, run } = await open();
    await run('true');
    expect(readdirSync(root)).toEqual([]);
  });

  it.each<[string, (own: string) => string]>([
    ['the settings', (own) => `cat ${own}/settings.json ${own}/word`],
    ['the settings by a link', (own) => `ln -s ${own} l; cat l/word`],
    ['the settings through /proc', (own) => `cat /proc/self/root${own}/word /proc/1/root${own}/word`],
    [
      'the settings after mounting',
      (own) => `mkdir m; mount --bind / m; cat m${own}/word; umount ${own}; cat ${own}/word`,
    ],
  ])('FS-24 does not read %s', async (_case, command) => {
    const { own, run } = await open();
    writeFileSync(join(own, 'word'), 'sesame');
    expect((await run(`${command(own)}; true`)).stdout).not.toContain('sesame');
  });

  it("knows nothing of the daemon's process", async () => {
    const { run } = await open();
    const found = await run(
      `ls /proc | grep -c '^[0-9]'; cat /proc/${process.pid}/environ /proc/${process.pid}/maps; ls /proc/${process.pid}/fd; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c '^VITEST='; kill -0 ${process.pid}; echo $?`,
    );
    const lines = found.stdout.trim().split('\n');
    expect([Number(lines[0]) < 12, lines[1], lines[2]]).toEqual([true, '0', '1']);
  });

  it('has no open file but its three, whatever this process was started with', async () => {
    // Any file that a parent may have left open: a folder leads out of every sandbox.
    const { outside, root } = makeFolders();
    const inner = `import { inheritedFiles } from ${JSON.stringify(join(import.meta.dirname, 'inherited-files.ts'))};
      console.log(JSON.stringify(inheritedFiles()))`;
    writeFileSync(join(root, 'inner.ts'), inner);
    const child = spawnSync(process.execPath, ['--import', 'tsx', join(root, 'inner.ts')], {
      stdio: ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(37).fill('ignore'), openSync(outside, 'r')],
      cwd: join(import.meta.dirname, '../../..'),
      encoding: 'utf8',
    });
    expect(JSON.parse(child.stdout)).toContain(40);
    const { run } = await open();
    const { stdout } = await run('ls -l /proc/self/fd');
    const targets = stdout.match(/(?<= -> ).*/g) ?? [];
    expect(targets.filter((one) => !/^(socket:|\/dev\/null$|\/proc\/)/.test(one))).toEqual([]);
  });

  it.each<[string, string, (at: { port: number; udp: number; socket: string }) => string]>([
    ['TCP on the loopback address', 'tcp', ({ port }) => `net.connect(${port}, '127.0.0.1')`],
    ['TCP on the IPv6 loopback address', 'tcp', ({ port }) => `net.connect(${port}, '::1')`],
    ['the service that tells about a cloud machine', 'tcp', () => `net.connect(80, '169.254.169.254')`],
    ['a host by its name', 'tcp', () => `net.connect(80, 'example.org')`],
    ['a socket of another program', 'tcp', ({ socket }) => `net.connect(${JSON.stringify(socket)})`],
    ['an abstract socket', 'tcp', () => `net.connect('\\0/tmp/.X11-unix/X0')`],
    ['the display', 'tcp', () => `net.connect('/tmp/.X11-unix/X0')`],
    ['Docker', 'tcp', () => `net.connect('/var/run/docker.sock')`],
    ['the message bus', 'tcp', () => `net.connect('/run/dbus/system_bus_socket')`],
  ])('does not reach %s', async (_case, _kind, target) => {
    const { base, script } = await open();
    const socket = join(base, 'listening');
    let connections = 0;
    const server = createServer((link) => void ((connections += 1), link.destroy()));
    const local = createServer((link) => void ((connections += 1), link.destroy()));
    await new Promise<void>((done) => server.listen(0, '::', done));
    await new Promise<void>((done) => local.listen(socket, done));
    onTestFinished(() => void (server.close(), local.close()));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { stdout } = await script(
      `const net = require('net'); const told = (word) => { console.log(word); process.exit(); };
       try { const link = ${target({ port, udp: 0, socket })};
         link.on('connect', () => told('connected')).on('error', (error) => told(error.code)); }
       catch (error) { told(error.code); }`,
    );
    expect(stdout.trim()).toMatch(/^E[A-Z_]+$/);
    expect(connections).toBe(0);
  });

  it('SH-25 sends no datagram, asks no name server and pings nobody', async () => {
    const { script, run } = await open();
    const udp = createSocket('udp4');
    let received = 0;
    udp.on('message', () => void (received += 1));
    await new Promise<void>((done) => udp.bind(0, '127.0.0.1', done));
    onTestFinished(() => void udp.close());
    await script(
      `const s = require('dgram').createSocket('udp4'); s.on('error', () => {});
       s.send('x', ${udp.address().port}, '127.0.0.1', () => { s.close(); });`,
    );
    const { stdout } = await script(
      `require('dns').promises.resolve4('example.org').then(() => console.log('resolved'), (e) => console.log(e.code))`,
    );
    const ping = await run(
      'ping -c1 -W1 127.0.0.1 >/dev/null 2>&1; curl -s --max-time 2 http://127.0.0.1; true',
    );
    expect([received, stdout.trim() === 'resolved', ping.stdout]).toEqual([0, false, '']);
  });

  it.each([
    [
      'a setuid program',
      'cp /bin/sh s && chmod 4755 s; grep NoNewPrivs /proc/self/status',
      /NoNewPrivs:\s+1/,
    ],
    ['a filter of system calls', 'grep "^Seccomp:" /proc/self/status', /Seccomp:\s+2/],
  ])('holds against %s', async (_case, command, expected) => {
    const { run } = await open();
    expect((await run(command)).stdout).toMatch(expected);
  });

  it.each([
    ['at', 'echo touch ran | at now'],
    ['cron', 'echo "* * * * * touch ran" | crontab -'],
    ['systemd', 'systemd-run --user touch ran; systemctl --user start x'],
  ])('cannot leave work to %s', async (_case, command) => {
    const { run } = await open();
    expect((await run(command)).exitCode).not.toBe(0);
  });

  it('SH-39 knows a short list of variables, has no input and no terminal, and is asked for no password', async () => {
    process.env['DRAWBRIDGE_TEST_SECRET'] = 'sess_secret';
    onTestFinished(() => void delete process.env['DRAWBRIDGE_TEST_SECRET']);
    const { run } = await open();
    const { stdout } = await run('env | cut -d= -f1 | sort; tty; readlink /proc/self/fd/0; env');
    expect(stdout).not.toContain('sess_secret');
    expect(stdout).toMatch(/not a tty\n\/dev\/null\n/);
    const known =
      'DRAWBRIDGE_CALL HOME LANG LC_ALL LC_CTYPE LOGNAME OLDPWD PATH PWD SHLVL TERM TMPDIR TZ USER _'.split(
        ' ',
      );
    const names = stdout.slice(0, stdout.indexOf('not a tty')).trim().split('\n');
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const asked = await run('sudo -k true </dev/tty; ssh nobody@localhost true; su nobody -c true </dev/tty');
    expect(asked.exitCode).not.toBe(0);
  });

  it('SH-39 finds no program that a command before it left in the root', async () => {
    const folders = makeFolders();
    const path = process.env['PATH'] ?? '';
    process.env['PATH'] = `${join(folders.root, 'bin')}:./bin:bin::${path}`;
    onTestFinished(() => void (process.env['PATH'] = path));
    const { run } = await open(folders);
    await run(`mkdir bin; printf '#!/bin/sh\\necho evil\\n' > bin/id; chmod +x bin/id`);
    const [id, found = ''] = (await run('id -u; echo "$PATH"')).stdout.split('\n');
    expect(id).toMatch(/^\d+$/);
    expect(found.split(':').filter((one) => !one.startsWith('/') || one.startsWith(folders.root))).toEqual(
      [],
    );
  });

  it('SH-21 reads no start-up file', async () => {
    const { root, run } = await open();
    for (const name of ['profile', 'env']) writeFileSync(join(root, name), 'echo started');
    const before = {
      ENV: process.env['ENV'],
      BASH_ENV: process.env['BASH_ENV'],
      SHELL: process.env['SHELL'],
    };
    Object.assign(process.env, {
      ENV: join(root, 'env'),
      BASH_ENV: join(root, 'env'),
      SHELL: join(root, 'env'),
    });
    onTestFinished(() => {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    expect((await run('echo "$0"')).stdout).toBe('/bin/sh\n');
  });

  it('SH-40 has limits', async () => {
    const { run } = await open();
    const { stdout } = await run('cat /proc/self/limits /proc/self/oom_score_adj');
    const limit = (name: string) => new RegExp(`^${name} +(\\d+) +(\\d+)`, 'm').exec(stdout)?.slice(1, 3);
    const both = (number: number) => [String(number), String(number)];
    expect({
      files: limit('Max open files'),
      size: limit('Max file size'),
      data: limit('Max data size'),
      processes: limit('Max processes'),
      core: limit('Max core file size'),
      oom: stdout.trim().split('\n').at(-1),
    }).toEqual({
      files: both(shellLimits.openFiles),
      size: both(shellLimits.fileBlocks * 512),
      data: both(shellLimits.memoryKiB * 1024),
      processes: both(shellLimits.processes),
      core: both(0),
      oom: '1000',
    });
  });

  it('SH-40 a file that grows too large and too many open files end the command, not more', async () => {
    const { root, run, script } = await open();
    expect((await run('truncate -s 5G big')).exitCode).not.toBe(0);
    expect(existsSync(join(root, 'big')) && statSync(join(root, 'big')).size > 0).toBe(false);
    const { stdout } = await script(
      `const fs = require('fs'); let n = 0; try { for (;;) { fs.openSync('/dev/null'); n += 1; } } catch (e) { console.log(e.code, n < 4096); }`,
    );
    expect(stdout.trim()).toBe('EMFILE true');
  });

  it('SH-40 many processes and many files go with the command, and other tools answer meanwhile', async () => {
    const { call, run } = await open();
    const running = run(
      'mkdir many; i=0; while [ $i -lt 300 ]; do setsid sleep 1000.25 & : > many/$i; i=$((i+1)); done; touch made',
      {
        timeout: 60_000,
      },
    );
    await expect
      .poll(async () => (await call('list_files', { dirPath: '.' })).isError, { timeout: 5_000 })
      .not.toBe(true);
    expect((await running).exitCode).toBe(0);
    await expect
      .poll(() =>
        readdirSync('/proc').some((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0' + '1000.25\0');
          } catch {
            return false;
          }
        }),
      )
      .toBe(false);
  });

  it('FS-20 FS-21 does not read or write what a rule of the person forbids, by any name', async () => {
    const world = await open();
    const { root, settings, run } = world;
    for (const name of ['hidden', 'fixed']) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'a.txt'), 'sesame');
    }
    symlinkSync('hidden', join(root, 'link'));
    await settings.addRules('deny', [
      { toolGroup: 'filesystemRead', resource: join(root, 'hidden') },
      { toolGroup: 'filesystemWrite', resource: join(root, 'fixed') },
      { toolGroup: 'filesystemRead', resource: join(root, 'later') },
    ]);
    const read = await run(
      'cat hidden/a.txt link/a.txt "$PWD"/hidden/a.txt; mv hidden moved; cat moved/a.txt; cp -r . "$TMPDIR/c"; cat "$TMPDIR"/c/hidden/a.txt; true',
    );
    expect(read.stdout).toBe('');
    await run('echo x > fixed/a.txt; rm -rf fixed; mv fixed other; mkdir later; echo x > later/a; true');
    expect(readFileSync(join(root, 'fixed', 'a.txt'), 'utf8')).toBe('sesame');
    expect([existsSync(join(root, 'other')), existsSync(join(root, 'later', 'a'))]).toEqual([false, false]);
    expect((await run('cat fixed/a.txt')).stdout).toBe('sesame');
  });

  it('does not read keys and passwords of the home folder', async () => {
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    const before = process.env['HOME'];
    process.env['HOME'] = home;
    onTestFinished(() => void (process.env['HOME'] = before));
    const secrets = [
      '.ssh/id_ed25519',
      '.aws/credentials',
      '.gnupg/key',
      '.config/gh/hosts.yml',
      '.netrc',
      '.npmrc',
      '.pypirc',
    ].concat([
      '.git-credentials',
      '.docker/config.json',
      '.kube/config',
      '.mozilla/p/logins.json',
      '.local/share/keyrings/k',
    ]);
    for (const path of secrets) {
      mkdirSync(join(home, path, '..'), { recursive: true });
      writeFileSync(join(home, path), 'sesame');
    }
    writeFileSync(join(home, 'notes.txt'), 'plain');
    const { run } = await open(folders);
    const { stdout } = await run(
      `cat ${secrets.map((path) => `"$HOME/${path}"`).join(' ')}; cat "$HOME/notes.txt"; true`,
    );
    expect(stdout).toBe('plain');
  });

  it('takes a long command, and refuses one that is too long', async () => {
    const { run, call } = await open();
    const text = `'"$(\\`.repeat(4_000);
    const quoted = `: <<'END'\n${text}\nEND\necho ran`;
    expect((await run(quoted)).stdout).toBe('ran\n');
    const tooLong = await call('shell_execute', { command: `: ${'ö'.repeat(60_000)}` });
    expect(textOf(tooLong)).toBe('command: is longer than 100,000 bytes');
  });

  it('says so when the system lets it read a folder only', async () => {
    const folders = makeFolders();
    chmodSync(folders.root, 0o555);
    const { run } = await open(folders);
    expect((await run('echo ran')).stdout).toBe('ran\n');
  });
});
