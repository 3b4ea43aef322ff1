import { spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { parseJson } from '../../../text/parse-json.ts';
import { send } from '../../../processes/process-tree.ts';
import { sshHeader } from './gate-address.ts';
import { readPush } from './https.ts';
import type { OwnPrograms } from './own-programs.ts';
import type { RefChange } from './push-commands.ts';
import { plainPath, type GitAccess } from './repositories.ts';
import { Unserved, type Reason } from './unserved.ts';

const asked = z.strictObject({
  destination: z.string().max(300),
  port: z.number().int().min(1).max(65_535).optional(),
  command: z.string().max(600),
  protocol: z.string().max(20).optional(),
});

export interface SshRequest {
  user: string;
  hostname: string;
  port: number | undefined;
  written: string;
  path: string;
  program: 'git-upload-pack' | 'git-receive-pack';
  access: GitAccess;
  protocol: string | undefined;
}

const destinationForm = /^(?:([a-z0-9_][a-z0-9_-]{0,31})@)?([a-z0-9][a-z0-9.-]{0,252})$/i;
const commandForm = /^(git-upload-pack|git-receive-pack) '([^']+)'$/;

/** Undefined for every other command, and for paths with a second meaning. Without a user it is git. */
export const readSshRequest = ({ headers }: Pick<IncomingMessage, 'headers'>): SshRequest | undefined => {
  const header = headers[sshHeader];
  const text = typeof header === 'string' ? Buffer.from(header, 'base64url').toString('utf8') : '';
  const read = parseJson(asked, text);
  const [, user = 'git', hostname] = destinationForm.exec(read?.destination ?? '') ?? [];
  const [, program, written = ''] = commandForm.exec(read?.command ?? '') ?? [];
  const path = plainPath(written);
  if (hostname === undefined || path === undefined) return undefined;
  if (program !== 'git-upload-pack' && program !== 'git-receive-pack') return undefined;
  const protocol = /^version=[012]$/.exec(read?.protocol ?? '')?.[0];
  const access = program === 'git-receive-pack' ? 'push' : 'fetch';
  return {
    user,
    hostname: hostname.toLowerCase(),
    port: read?.port,
    written,
    path,
    program,
    access,
    protocol,
  };
};

/** Nothing asks the person, nothing but this one command runs, and only a known host is connected. */
const options = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'PermitLocalCommand=no',
  'RemoteCommand=none',
  'ControlMaster=no',
  'ControlPath=none',
  'ConnectTimeout=10',
  'SendEnv=GIT_PROTOCOL',
].flatMap((option) => ['-o', option]);

const signs: [RegExp, Reason][] = [
  [/host key verification failed|no .* host key is known/i, 'hostKey'],
  [/permission denied/i, 'login'],
  [/not found|does not exist|not appear to be a git/i, 'missing'],
];

const maxSaidChars = 8_192;

/** What ssh and the host said on its standard error, as a reason; it may name keys, so it stays outside. */
const reasonOf = (said: string): Reason => signs.find(([sign]) => sign.test(said))?.[1] ?? 'unreachable';

export interface SshNeeds {
  clock: Clock;
  programs: OwnPrograms;
  /** Gets what ends it at once; returns what is called when nothing is left to end. */
  opened(end: () => void): () => void;
  pushed(changes: RefChange[]): void;
  counted(bytes: { in: number; out: number }): void;
}

/** How long ssh may take to end, in milliseconds, once its client has closed the connection. */
const closingMs = 5_000;

const startSsh = (
  { user, hostname, port, written, program, protocol }: SshRequest,
  { programs, clock, opened }: SshNeeds,
  client: Socket,
) => {
  const file = programs.find('ssh');
  if (file === undefined) throw new Unserved('noProgram');
  const way = [...(port === undefined ? [] : ['-p', String(port)]), '--', `${user}@${hostname}`];
  const child = spawn(file, ['-T', ...options, ...way, `${program} '${written}'`], {
    cwd: programs.folder,
    env: { ...programs.environment, ...(protocol !== undefined && { GIT_PROTOCOL: protocol }) },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) send(-child.pid, 'SIGKILL');
    client.destroy();
  };
  const closed = opened(end);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < maxSaidChars) said += chunk.toString('utf8');
  });
  // Its close follows.
  child.stdin.on('error', () => undefined);
  let cancelTimer: (() => void) | undefined;
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  }).finally(() => {
    cancelTimer?.();
    closed();
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    /** The exit code, once all output was read; null where it was killed or never ran. */
    ended,
    end,
    /** Without more input ssh ends, and says why. */
    finish: () => {
      child.stdin.end();
      cancelTimer ??= clock.after(closingMs, end);
    },
    reason: () => reasonOf(said),
  };
};

/** Joins a client with the person's own ssh, which runs one program of git. Throws `Unserved`. */
export const runSsh = async (request: SshRequest, client: Socket, needs: SshNeeds): Promise<void> => {
  const { pushed, counted } = needs;
  const ssh = startSsh(request, needs, client);
  const { stdin, stdout, ended } = ssh;
  const before = { in: client.bytesWritten, out: client.bytesRead };
  let hasLeft = false;
  client.once('close', () => {
    hasLeft = true;
    ssh.finish();
  });
  // The reason is on record before the client's connection ends: with it the command may end.
  stdout.pipe(client, { end: false });
  const passPush = async () => {
    const read = await Promise.race([readPush(client), ended.then(() => undefined)]);
    pushed(read?.changes ?? []);
    for (const chunk of read?.held ?? []) stdin.write(chunk);
  };
  try {
    if (request.program === 'git-receive-pack')
      await passPush().catch((error: unknown) => {
        // Without a list of branches from the host, the client sends nothing: ssh says why.
        if (client.bytesRead === before.out) return ssh.finish();
        ssh.end();
        throw error;
      });
    client.pipe(stdin);
    const code = await ended;
    // A client that has all it wanted may close first.
    const hasServed = code === 0 || (hasLeft && client.bytesWritten > before.in);
    if (!hasServed) throw new Unserved(ssh.reason());
  } finally {
    counted({ in: client.bytesWritten - before.in, out: client.bytesRead - before.out });
  }
};
