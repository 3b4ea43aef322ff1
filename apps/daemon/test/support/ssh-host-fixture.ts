import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { ownEnvironment } from '../../src/tools/shell/config.ts';
import { cleanUp } from './clean-up.ts';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

/** Puts a program in front of all others of this process; it is removed after the test. */
export const placeProgram = (name: string, script: string): void => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'programs-')));
  writeFileSync(join(folder, name), script);
  chmodSync(join(folder, name), 0o755);
  const before = ownEnvironment()['PATH'] ?? '';
  ownEnvironment()['PATH'] = folder + delimiter + before;
  cleanUp(() => {
    ownEnvironment()['PATH'] = before;
    rmSync(folder, { recursive: true, force: true });
  });
};

/**
 * A real sshd for the repositories below `folder`, as `git.test` and, with an unknown key, `new.test`.
 * `ssh` of this process finds both, with a key of its own. It lets in this user alone.
 */
export const openSshHost = async (folder: string) => {
  const own = realpathSync(mkdtempSync(join(tmpdir(), 'ssh-host-')));
  const at = (name: string) => join(own, name);
  for (const name of ['host', 'key'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  const port = await freePort();
  const key = readFileSync(at('key.pub'), 'utf8');
  const command = `echo \\"$SSH_ORIGINAL_COMMAND\\" >> ${at('log')}; cd ${folder} && exec git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"`;
  writeFileSync(at('authorized'), `restrict,command="${command}" ${key}`);
  writeFileSync(at('log'), '');
  writeFileSync(at('known'), `git.test ${readFileSync(at('host.pub'), 'utf8')}`);
  writeFileSync(
    at('sshd_config'),
    `ListenAddress 127.0.0.1:${port}\nHostKey ${at('host')}\nPidFile none\nAuthorizedKeysFile ${at('authorized')}\n` +
      'StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nAcceptEnv GIT_PROTOCOL\n',
  );
  writeFileSync(
    at('ssh_config'),
    'Host git.test\n\tHostKeyAlias git.test\nHost new.test\n\tHostKeyAlias new.test\n' +
      `Host git.test new.test\n\tHostName 127.0.0.1\n\tPort ${port}\n\tIdentityFile ${at('key')}\n\tIdentitiesOnly yes\n` +
      `\tUserKnownHostsFile ${at('known')}\n\tGlobalKnownHostsFile /dev/null\n` +
      // A person's own commands for each connection, which the gate leaves out.
      `\tRemoteCommand id\n\tPermitLocalCommand yes\n\tLocalCommand touch ${at('local')}\n`,
  );
  // Where the system starts no sshd, nothing has made it.
  if (userInfo().uid === 0 && !existsSync('/run/sshd')) mkdirSync('/run/sshd', { mode: 0o755 });
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanUp(() => {
    child.kill();
    rmSync(own, { recursive: true, force: true });
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(said)));
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
      if (said.includes('Server listening')) resolve();
    });
  });
  // In a sandbox its settings are not there.
  placeProgram(
    'ssh',
    `#!/bin/sh\n[ -e ${at('ssh_config')} ] && exec /usr/bin/ssh -F ${at('ssh_config')} "$@"\nexec /usr/bin/ssh "$@"\n`,
  );
  return {
    user: userInfo().username,
    key: readFileSync(at('key'), 'utf8'),
    /** What the host was asked to run. */
    commands: () => readFileSync(at('log'), 'utf8').split('\n').filter(Boolean),
    /** Whether a connection has run the person's own command. */
    hasRunLocal: () => existsSync(at('local')),
    clear: () => writeFileSync(at('log'), ''),
    /** Joins a connection with the host. */
    join: (link: Socket) => {
      const remote = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      remote.on('error', () => link.destroy());
      link.pipe(remote).pipe(link);
    },
  };
};
