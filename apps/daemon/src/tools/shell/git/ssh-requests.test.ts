import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, vi } from 'vitest';
import { statusOf } from '../../../../test/support/egress-fixture.ts';
import { sharedGate } from '../../../../test/support/git-gate-fixture.ts';
import { placeProgram } from '../../../../test/support/ssh-host-fixture.ts';
import { gateHost, sshHeader } from './gate-address.ts';
import { readSshRequest } from './ssh.ts';

const { world, open: openGate } = sharedGate();

describe('what is asked of ssh', () => {
  const asked = { destination: 'git@github.com', command: "git-upload-pack 'ada/demo.git'" };

  it.each([
    ['an option as the host', { destination: '-oProxyCommand=touch x' }],
    ['an option as the user', { destination: '-lroot@github.com' }],
    ['a blank in the host', { destination: 'git@github.com evil.test' }],
    ['another host', { destination: 'git@evil.test' }],
    ['another user', { destination: 'root@github.com' }],
    ['another port', { port: 2_222 }],
    ['an invalid port', { port: 0 }],
    ['a second command', { command: "git-upload-pack 'ada/demo.git'; id" }],
    ['a command in the path', { command: "git-upload-pack 'ada/$(id)'" }],
    ['a line', { command: "git-upload-pack 'ada/demo.git\n'" }],
    ['a second repository', { command: "git-upload-pack 'ada/demo.git' 'ada/secret.git'" }],
    ['an option', { command: "git-upload-pack --strict 'ada/demo.git'" }],
    ['an option as the path', { command: "git-upload-pack '--strict'" }],
    ['dots', { command: "git-upload-pack 'ada/../secret'" }],
    ['another repository', { command: "git-upload-pack 'ada/secret.git'" }],
    ['another program', { command: "git-upload-archive 'ada/demo.git'" }],
    ['a shell', { command: 'id' }],
    ['a field more', { environment: 'x' }],
  ])('SH-80 %s: ssh does not start', async (_case, more) => {
    const canary = join(world().root, 'started');
    placeProgram('ssh', `#!/bin/sh\ntouch ${canary}\n`);
    const { say } = openGate();
    const connectWith = (header: string) =>
      say(`CONNECT ${gateHost}:22 HTTP/1.1\r\nHost: ${gateHost}:22\r\n${header}\r\n`);
    const encoded = Buffer.from(JSON.stringify({ ...asked, ...more })).toString('base64url');
    expect(statusOf(await connectWith(`drawbridge-git: ${encoded}\r\n`))).toBe(403);
    expect(existsSync(canary)).toBe(false);
  });

  // Without a grant that fits it would not start either: here nothing but the parser refuses.
  it.each([
    ['an option as the host', { destination: '-oProxyCommand=touch x' }],
    ['an option as the host of a user', { destination: 'git@-oProxyCommand=x' }],
    ['an option as the user', { destination: '-lroot@github.com' }],
    ['a blank in the host', { destination: 'git@github.com evil.test' }],
    ['a line in the host', { destination: 'git@github.com\nx' }],
    ['no host', { destination: '' }],
    ['port 0', { port: 0 }],
    ['port 65536', { port: 65_536 }],
    ['half a port', { port: 22.5 }],
    ['a second user', { destination: 'git@evil.test@github.com' }],
    ['an option as the path', { command: "git-upload-pack '--strict'" }],
  ])('SH-80 %s is no request', (_case, more) => {
    const read = (given: object) =>
      readSshRequest({
        headers: { [sshHeader]: Buffer.from(JSON.stringify(given)).toString('base64url') },
      });
    expect(read(asked)).toMatchObject({ user: 'git', hostname: 'github.com', path: 'ada/demo' });
    expect(read({ ...asked, ...more })).toBe(undefined);
  });

  it('SH-83 starts outside of every repository, with options that ask nothing, forward nothing and trust known hosts alone', async () => {
    const { root, own } = world();
    placeProgram(
      'ssh',
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${join(root, 'arguments')}\npwd > ${join(root, 'folder')}\nenv > ${join(root, 'environment')}\n`,
    );
    const { say } = openGate();
    const encoded = Buffer.from(JSON.stringify({ ...asked, port: 22, protocol: 'version=2\n' })).toString(
      'base64url',
    );
    await say(
      `CONNECT ${gateHost}:22 HTTP/1.1\r\nHost: ${gateHost}:22\r\ndrawbridge-git: ${encoded}\r\n\r\n`,
    );
    const given = readFileSync(join(root, 'arguments'), 'utf8').trim().split('\n');
    expect(readFileSync(join(root, 'folder'), 'utf8')).toBe(`${join(own, 'git')}\n`);
    expect(given.slice(-5)).toEqual(['-p', '22', '--', 'git@github.com', "git-upload-pack 'ada/demo.git'"]);
    expect(given).toEqual(
      expect.arrayContaining(
        ['BatchMode', 'StrictHostKeyChecking', 'ClearAllForwardings'].map((name) => `${name}=yes`),
      ),
    );
    expect(given).toEqual(
      expect.arrayContaining(
        ['ForwardAgent', 'ForwardX11', 'PermitLocalCommand', 'ControlMaster'].map((name) => `${name}=no`),
      ),
    );
    expect(given).toEqual(
      expect.arrayContaining(['RemoteCommand=none', 'ControlPath=none', 'ConnectTimeout=10']),
    );
    expect(readFileSync(join(root, 'environment'), 'utf8')).not.toMatch(/GIT_PROTOCOL|DRAWBRIDGE/);
  });

  const joinWith = (command: string): string => {
    const encoded = Buffer.from(JSON.stringify({ ...asked, command })).toString('base64url');
    return `CONNECT ${gateHost}:22 HTTP/1.1\r\nHost: ${gateHost}:22\r\ndrawbridge-git: ${encoded}\r\n\r\n`;
  };

  it.each(['git-upload-pack', 'git-receive-pack'])(
    'says what the host refused, however late ssh says it: %s',
    async (program) => {
      placeProgram('ssh', "#!/bin/sh\nexec >&-\nsleep 0.3\necho 'Repository not found.' >&2\nexit 1\n");
      const { gate, say } = openGate();
      await say(joinWith(`${program} 'ada/demo.git'`));
      expect(gate.notes()).toEqual([expect.stringContaining('was not found')]);
    },
  );

  // A connection whose other side is gone is known by the second write.
  const farewell = 'echo more\nsleep 0.1\necho more';

  it('a client that has all it wanted and closes first is no failure of the host', async () => {
    const { root } = world();
    placeProgram(
      'ssh',
      `#!/bin/sh\necho pack\ncat > /dev/null\n${farewell}\nsleep 0.3\ntouch ${join(root, 'ended')}\n`,
    );
    const { gate, say } = openGate();
    await say(joinWith("git-upload-pack 'ada/demo.git'"), 'pack');
    await vi.waitFor(() => expect(gate.traffic()).toHaveLength(1), 20_000);
    expect([existsSync(join(root, 'ended')), gate.notes()]).toEqual([true, []]);
  });

  it('an ssh that does not end after its client is ended after 5 s', async () => {
    const clock = createFakeClock();
    placeProgram('ssh', `#!/bin/sh\necho pack\ncat > /dev/null\n${farewell}\nexec sleep 1000\n`);
    const { gate, say } = openGate({ clock });
    const before = clock.waiting();
    await say(joinWith("git-upload-pack 'ada/demo.git'"), 'pack');
    await vi.waitFor(() => expect(clock.waiting()).toBe(before + 1), 20_000);
    clock.advance(4_999);
    expect(gate.traffic()).toEqual([]);
    clock.advance(1);
    await vi.waitFor(() => expect(gate.traffic()).toHaveLength(1), 20_000);
    expect(gate.notes()).toEqual([]);
  });
});
