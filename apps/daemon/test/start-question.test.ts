import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { describeWith } from '../../../e2e/services.ts';
import { forbidden, json, pairingToken } from './support/gateway-server.ts';
import { home, noSandbox, run, server, setUpEachTest, until, work } from './support/start-cli.ts';

const cli = join(import.meta.dirname, '../dist/cli.cjs');

/** Runs a command on a terminal of its own, and types what comes on stdin. */
const onTerminal = `
import fcntl, os, pty, select, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 120, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    ready, _, _ = select.select([master, 0], [], [])
    if master in ready:
        try: data = os.read(master, 4096)
        except OSError: break
        if not data: break
        os.write(1, data)
    if 0 in ready:
        typed = os.read(0, 4096)
        if not typed: break
        os.write(master, typed)
`;

setUpEachTest();

const startOnTerminal = (args: string[]) => {
  const child = spawn('python3', ['-c', onTerminal, process.execPath, cli, ...args], {
    cwd: work,
    env: { HOME: home, PATH: '/usr/bin:/bin', TERM: 'xterm', DRAWBRIDGE_INSTALL: 'false' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => void (said += String(chunk)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return { child, ended, said: () => stripVTControlCharacters(said).replaceAll('\r', '') };
};

describeWith('python3')('the table at the start', () => {
  it('shows what is saved and what is for this session, takes y, and status, permissions and doctor say the same', async () => {
    const settings = join(home, '.drawbridge', 'settings.json');
    await run(['permissions', 'set', 'filesystemWrite', 'allow']);
    const started = startOnTerminal([
      server.url.origin,
      pairingToken,
      '--permission-shell',
      'ask',
      noSandbox,
    ]);
    await until(() => expect(started.said()).toContain('Connect with these permissions?'));
    expect(started.said()).toMatch(
      /read files {8}allow {2}default\n\s+change files {6}allow {2}saved \(settings\.json\)\n\s+run commands {6}ask {4}this session \(flag\), without/,
    );
    started.child.stdin.write('y');
    await until(() => expect(started.said()).toContain('connected     '));
    await until(async () => expect((await run(['status'])).code).toBe(0));
    const status = await run(['status']);
    expect(status.stdout).toMatch(/change files {6}allow {2}saved \(settings\.json\)/);
    expect(status.stdout).toMatch(/run commands {6}ask {4}this session \(flag\)/);
    const permissions = await run(['permissions']);
    expect(permissions.stdout).toMatch(/^run commands {6}deny {3}default$/m);
    expect(permissions.stdout).toContain(`Now, in ${work}:\nrun commands      ask    this session (flag)\n`);
    expect(JSON.parse((await run(['permissions', '--json'])).stdout)).toMatchObject({
      running: [{ folder: work, modes: { shell: 'ask' }, sources: { shell: 'flag' } }],
    });
    const doctor = await run(['doctor']);
    expect(doctor.stdout).toMatch(/modes .*run commands ask, this session \(flag\)/);
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toMatchObject({ modes: { filesystemWrite: 'allow' } });
    started.child.stdin.write('\u0003');
    await started.ended;
  }, 60_000);

  it('says that the token is wrong before it asks anything else, and takes another', async () => {
    server.answer('init', forbidden, forbidden, json(200, { ok: true }));
    const started = startOnTerminal([server.url.origin, 'hello']);
    await until(() => expect(started.said()).toContain('Paste a new token'));
    expect(started.said()).toMatch(/^error {2}The server does not know this token or key: it was mistyped/);
    expect(started.said()).not.toContain('read files');
    started.child.stdin.write(`${'x'.repeat(35)}\r`);
    await until(() => expect(started.said().match(/^error {2}/gm)).toHaveLength(2));
    started.child.stdin.write(`${pairingToken}\r`);
    await until(() => expect(started.said()).toContain('Connect with these permissions?'));
    started.child.stdin.write('n');
    await started.ended;
    expect(server.seen.map(({ path, body }) => [path, (body as { check?: true }).check])).toEqual(
      Array.from({ length: 2 }, () => ['/init', true]),
    );
  }, 60_000);

  it('shows its keys, takes n, and connects nothing', async () => {
    const started = startOnTerminal([server.url.origin, pairingToken]);
    await until(() =>
      expect(started.said()).toMatch(/y {2}Yes\n.* e {2}Edit \(for this session\)\n.* n {2}No\n/),
    );
    started.child.stdin.write('n');
    await started.ended;
    expect(server.seen).toEqual([]);
  }, 60_000);
});
