import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gateHost, sshHeader } from '../git/gate-address.ts';
import { relayText } from '../ports/relay-program.ts';
import { proxyPort } from '../ports/sandbox-ports.ts';

/** Runs inside, before the command: listens, and hands the listeners to the daemon through its channel. */
const handOutText = `
const { createServer } = require('node:net');
let left = process.argv.length - 2;
for (const port of process.argv.slice(2)) {
  const server = createServer();
  server.once('error', () => process.exit(1));
  server.listen(Number(port), '127.0.0.1', () =>
    process.send(port, server, (error) => {
      if (error) process.exit(1);
      if (--left === 0) process.exit(0);
    }));
}
`;

/** Runs inside, for ssh: `connect.cjs <host> <port>` joins standard input and output with that host. */
const connectText = `
const { request } = require('node:http');
const [host, port] = process.argv.slice(2);
const asked = request({ host: '127.0.0.1', port: ${proxyPort}, method: 'CONNECT', path: host + ':' + port });
const fail = (text) => { process.stderr.write(text + '\\n'); process.exit(1); };
asked.on('connect', (answer, link, head) => {
  if (answer.statusCode !== 200) fail('Blocked: ' + host + ':' + port + ' was not asked for');
  process.stdout.write(head);
  link.pipe(process.stdout);
  process.stdin.pipe(link);
  link.on('error', (error) => fail(error.message));
});
asked.on('error', (error) => fail(error.message));
asked.end();
`;

/**
 * Runs inside in place of ssh for git: `git-ssh.cjs <hosts> <arguments of ssh>`. The daemon runs ssh outside
 * for these hosts; the others are reached through the proxy.
 */
const gitSshText = `
const { spawn } = require('node:child_process');
const { request } = require('node:http');
const [hosts, ...given] = process.argv.slice(2);
let [at, port] = [0, undefined];
while (at < given.length && given[at].startsWith('-')) {
  if (given[at] === '-p') port = Number(given[at + 1]);
  at += given[at] === '-p' || given[at] === '-o' ? 2 : 1;
}
const [destination = '', command = ''] = given.slice(at);
const fail = (text) => { process.stderr.write(text + '\\n'); process.exitCode = 1; };
if (!hosts.split(',').includes(destination.split('@').pop().toLowerCase())) {
  const way = '"' + process.execPath + '" "' + __dirname + '/connect.cjs" %h %p';
  const ssh = spawn('ssh', ['-o', 'ProxyCommand=' + way, ...given], { stdio: 'inherit' });
  ssh.on('error', (error) => fail(error.message));
  ssh.on('exit', (code) => { process.exitCode = code ?? 1; });
} else {
  const wanted = { destination, port, command, protocol: process.env.GIT_PROTOCOL };
  const asked = request({ host: '127.0.0.1', port: ${proxyPort}, method: 'CONNECT', path: '${gateHost}:22',
    headers: { '${sshHeader}': Buffer.from(JSON.stringify(wanted)).toString('base64url') } });
  asked.on('connect', (answer, link, head) => {
    if (answer.statusCode !== 200) { link.destroy(); fail('Blocked: see the notes of the result'); return; }
    process.stdout.write(head);
    link.pipe(process.stdout);
    process.stdin.pipe(link);
    link.on('error', (error) => fail(error.message));
    link.on('close', () => process.stdin.destroy());
  });
  asked.on('error', (error) => fail(error.message));
  asked.end();
}
`;

export interface HandOut {
  /** Arguments for bubblewrap: Node itself, which may lie where commands see nothing. */
  mounts: string[];
  node: string;
  program: string;
  connect: string;
  gitSsh: string;
  relay: string;
}

/** What the prelude needs to hand over listeners for these ports, and to start the relay. */
export const handOutEnvironment = (
  { node, program, relay }: HandOut,
  { listeners, hasRelay }: { listeners: readonly number[]; hasRelay: boolean },
) => ({
  DRAWBRIDGE_NODE: node,
  DRAWBRIDGE_HAND_OUT: program,
  DRAWBRIDGE_PORTS: listeners.join(' '),
  ...(hasRelay && { DRAWBRIDGE_RELAY: relay }),
});

const folderName = '.drawbridge';

/** Puts the programs into a command's temporary folder; `inside`: where the command sees that. */
export const placeHandOut = async (temporary: string, inside: string): Promise<HandOut> => {
  const folder = join(temporary, folderName);
  await mkdir(folder, { mode: 0o700 });
  await Promise.all([
    writeFile(join(folder, 'hand-out.cjs'), handOutText),
    writeFile(join(folder, 'connect.cjs'), connectText),
    writeFile(join(folder, 'git-ssh.cjs'), gitSshText),
    writeFile(join(folder, 'relay.cjs'), relayText),
  ]);
  const at = (name: string) => join(inside, folderName, name);
  return {
    mounts: ['--ro-bind', process.execPath, at('node')],
    node: at('node'),
    program: at('hand-out.cjs'),
    connect: at('connect.cjs'),
    gitSsh: at('git-ssh.cjs'),
    relay: at('relay.cjs'),
  };
};
