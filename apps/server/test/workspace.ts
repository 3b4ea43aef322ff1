import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { workspaceLimits, type WorkspaceLimits } from '../src/agent/workspace/limits.ts';
import { openWorkspaces } from '../src/agent/workspace/open-workspaces.ts';
import { workspaceProgram } from '../src/program/built-files.ts';

export const makeDataDir = (): string => {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'workspaces-')));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  return dataDir;
};

const output = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number().nullable(),
  timedOut: z.boolean().optional(),
});

interface Who {
  userId?: string;
  threadId?: string;
  signal?: AbortSignal;
}

/** Workspaces with real containers, in a data folder of their own. */
export const openTestWorkspaces = async (
  limits: Partial<WorkspaceLimits> = {},
  { dataDir = makeDataDir(), ...more }: { dataDir?: string; bwrapPlaces?: string[]; clock?: Clock } = {},
) => {
  const { port, problem } = await openWorkspaces({
    dataDir,
    program: workspaceProgram,
    clock: systemClock,
    limits: { ...workspaceLimits, ...limits },
    ...more,
  });
  if (port === null) throw new Error(problem ?? 'no workspaces');
  /** The first text of the result. */
  const call = async (tool: string, args: Record<string, unknown>, who: Who = {}): Promise<string> => {
    const { userId = 'ann', threadId = 'thread', signal = new AbortController().signal } = who;
    const given = { callId: nanoid(), tool, arguments: args };
    const { content } = await port.call({ userId, threadId }, given, signal);
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  const shell = async (command: string, who: Who & { timeout?: number } = {}) => {
    const { timeout = 20_000, ...rest } = who;
    return output.parse(JSON.parse(await call('shell_execute', { command, timeout }, rest)));
  };
  return { dataDir, port, call, shell };
};

const ownUser = process.getuid?.() ?? 0;
/** Users that a server of a test can be: only root can become another one. */
export const testUsers: readonly number[] = ownUser === 0 ? [0, 12_345] : [ownUser];

interface ServerOfUser {
  uid: number;
  dataDir: string;
  limits: Partial<WorkspaceLimits>;
  calls: { tool: string; arguments: Record<string, unknown>; threadId?: string }[];
  /** Chats that are removed after the calls. */
  removed?: string[];
}

/** Calls in workspaces of a server that runs as this user: the first text of each result. */
export const callAs = ({ uid, dataDir, limits, calls, removed = [] }: ServerOfUser): Promise<string[]> => {
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, '../src/agent/workspace', name));
  const program = `
    import { systemClock } from '@drawbridge/kit';
    import { openWorkspaces } from ${at('open-workspaces.ts')};
    import { workspaceLimits } from ${at('limits.ts')};
    const given = ${JSON.stringify({ dataDir, program: workspaceProgram })};
    const limits = { ...workspaceLimits, ...${JSON.stringify(limits)} };
    const { port, problem } = await openWorkspaces({ ...given, clock: systemClock, limits });
    if (port === null) throw new Error(problem);
    const texts = [];
    for (const { threadId = 'thread', ...call } of ${JSON.stringify(calls)}) {
      const signal = new AbortController().signal;
      const { content } = await port.call({ userId: 'ann', threadId }, { callId: 'call', ...call }, signal);
      texts.push(content[0].text);
    }
    for (const threadId of ${JSON.stringify(removed)}) await port.remove('ann', threadId);
    console.log(JSON.stringify(texts));`;
  if (ownUser === 0) chownSync(dataDir, uid, uid);
  // The way there is closed to other users.
  for (const folder of [dataDir, dirname(dataDir)]) chmodSync(folder, 0o711);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '..'),
    env: { HOME: dataDir, PATH: '/usr/bin:/bin', TMPDIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(ownUser === 0 && { uid, gid: uid }),
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(z.array(z.string()).parse(JSON.parse(output))) : reject(new Error(errors)),
    );
  });
};

/** Command lines of this machine's processes that contain the text. */
export const commandsWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(text));

/** A time to sleep, in seconds, that no other command has. */
export const ownSeconds = (): string => `7${String(Math.random()).slice(2, 9)}`;
