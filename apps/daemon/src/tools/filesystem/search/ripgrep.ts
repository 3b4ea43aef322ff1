import { spawn } from 'node:child_process';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../../common/errors.ts';
import { excludedFolders } from '../../../paths/limits.ts';

const maxOutputBytes = 8 * 1024 * 1024;
const maxRunMs = 20_000;

export interface Search {
  root: string;
  glob: string;
  /** Literal text on one line of a file; undefined to look at names only. */
  text?: { query: string; ignoreCase: boolean };
  clock: Clock;
  signal: AbortSignal;
}

/** Paths from the root that may match. `complete` is false where time or output ran out. */
export interface Found {
  paths: string[];
  complete: boolean;
}

/** No file of settings, nothing through links, and of files that ignore rules name nothing left out. */
const always = [
  '--no-config',
  '--hidden',
  '--no-ignore',
  '--no-follow',
  '--no-messages',
  '--color=never',
  '--null',
];

const argumentsFor = ({ glob, text }: Search): string[] => [
  ...always,
  `--glob=/${glob}`,
  ...[...excludedFolders].map((name) => `--iglob=!**/${name}`),
  ...(text
    ? [
        '--files-with-matches',
        '--encoding=none',
        '--max-filesize=512K',
        '--fixed-strings',
        text.ignoreCase ? '--ignore-case' : '--case-sensitive',
        `--regexp=${text.query}`,
      ]
    : ['--files']),
  '--',
  './',
];

const unusable = /[\p{Cc}\ufffd]/u;

/** Names end in NUL. What is not plain text has no path that we could give. */
const parse = (output: string): string[] =>
  output
    .split('\0')
    .slice(0, -1)
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => !unusable.test(path));

const ask = (rgPath: string, search: Search): Promise<Found> =>
  new Promise((resolve, reject) => {
    search.signal.throwIfAborted();
    const child = spawn(rgPath, argumentsFor(search), {
      cwd: search.root,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    let complete = true;
    const stop = () => {
      complete = false;
      child.kill('SIGKILL');
    };
    const cancelTimer = search.clock.after(maxRunMs, stop);
    search.signal.addEventListener('abort', stop, { once: true });
    const cleanUp = () => {
      cancelTimer();
      search.signal.removeEventListener('abort', stop);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxOutputBytes) chunks.push(chunk);
      else stop();
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(0, 500);
    });
    child.once('error', (error) => {
      cleanUp();
      reject(error);
    });
    child.once('close', (code) => {
      cleanUp();
      if (search.signal.aborted) reject(search.signal.reason);
      else if (code === 2 && chunks.length === 0 && complaint !== '') {
        reject(errors.badArguments({ message: complaint.trim().replace(/^rg: /, '') }));
      } else resolve({ paths: parse(Buffer.concat(chunks).toString('utf8')), complete });
    });
  });

/** Asks ripgrep. Rejects with the signal's reason when aborted. */
export const ripgrep = async (search: Search): Promise<Found> => {
  // It looks for its binary as it is loaded, which is no part of a start.
  const { rgPath } = await import('@vscode/ripgrep');
  return ask(rgPath, search);
};
