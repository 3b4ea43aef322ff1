import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { sharedShell } from '../../../../test/support/shell-fixture.ts';

describeWith('bubblewrap')('SH-34, SH-95 whom a command reaches', () => {
  const shell = sharedShell();

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
    const { base, script } = shell();
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

  it('SH-25 sends no datagram, asks no name server and sends no ping', async () => {
    const { script, run } = shell();
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
    const { run } = shell();
    expect((await run(command)).stdout).toMatch(expected);
  });

  it.each([
    ['at', 'echo touch ran | at now'],
    ['cron', 'echo "* * * * * touch ran" | crontab -'],
    ['systemd', 'systemd-run --user touch ran; systemctl --user start x'],
  ])('cannot leave work to %s', async (_case, command) => {
    const { run } = shell();
    expect((await run(command)).exitCode).not.toBe(0);
  });
});
