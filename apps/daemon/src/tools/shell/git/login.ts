import { spawn } from 'node:child_process';
import type { Clock } from '@drawbridge/kit';
import { send } from '../../../processes/process-tree.ts';
import type { OwnPrograms } from './own-programs.ts';

export interface Login {
  username: string;
  password: string;
}

const timeoutMs = 5_000;
const maxBytes = 64 * 1024;

/** Nothing asks the person: a helper that has no login says so. */
const settings = ['-c', 'credential.interactive=false', '-c', 'credential.guiPrompt=false'];

const lineOf = (output: string, name: string): string | undefined =>
  new RegExp(`^${name}=(.+)$`, 'm').exec(output)?.[1];

/**
 * The login that the person's own helpers of git have for a host, by `git credential fill`; undefined
 * where they have none within 5 s. It is not kept, and no repository is looked at.
 */
export const findLogin = (
  { find, folder, environment }: OwnPrograms,
  { host, written }: { host: string; written: string },
  clock: Clock,
): Promise<Login | undefined> => {
  const file = find('git');
  if (file === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(file, [...settings, 'credential', 'fill'], {
      cwd: folder,
      // An empty program to ask with comes before that of the settings.
      env: { ...environment, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '' },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    let output = '';
    const cancelTimer = clock.after(timeoutMs, () => child.pid !== undefined && send(-child.pid, 'SIGKILL'));
    const done = (login?: Login) => {
      cancelTimer();
      resolve(login);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < maxBytes) output += chunk.toString('utf8');
    });
    child.once('error', () => done());
    child.once('close', (code) => {
      const [username, password] = [lineOf(output, 'username'), lineOf(output, 'password')];
      done(
        code === 0 && username !== undefined && password !== undefined ? { username, password } : undefined,
      );
    });
    // It may have ended.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`protocol=https\nhost=${host}\npath=${written}\n\n`);
  });
};
