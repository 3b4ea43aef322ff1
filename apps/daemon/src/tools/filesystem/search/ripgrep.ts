import { execFile } from 'node:child_process';
import { type Clock, hasCode, signalChild } from '@drawbridge/kit';
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

/** What is not plain text has no path that we could give. */
export const isUsable = (path: string): boolean => !unusable.test(path);

/** Names end in NUL. */
const parse = (output: string): string[] =>
  output
    .split('\0')
    .slice(0, -1)
    .map((path) => path.replace(/^\.\//, ''))
    .filter(isUsable);

const ask = (rgPath: string, search: Search): Promise<Found> =>
  new Promise((resolve, reject) => {
    const { root: cwd, clock, signal } = search;
    const options = { cwd, env: {}, signal, maxBuffer: maxOutputBytes, killSignal: 'SIGKILL' } as const;
    const child = execFile(rgPath, argumentsFor(search), options, (error, stdout, stderr) => {
      cancelTimer();
      if (signal.aborted) reject(signal.reason);
      // A string is the code of a start that failed; a process that was killed has none.
      else if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES')) reject(error);
      else if (error?.code === 2 && stdout === '' && stderr !== '') {
        const complaint = stderr.slice(0, 500).trim();
        reject(errors.badArguments({ message: complaint.replace(/^rg: /, '') }));
      } else resolve({ paths: parse(stdout), complete: error === null || typeof error.code === 'number' });
    });
    child.stdin?.end();
    const cancelTimer = clock.after(maxRunMs, () => signalChild(child, 'SIGKILL'));
  });

/** Asks ripgrep. Rejects with the signal's reason when aborted. */
export const ripgrep = async (search: Search): Promise<Found> => {
  // It looks for its binary as it is loaded, which is no part of a start.
  const { rgPath } = await import('@vscode/ripgrep');
  return ask(rgPath, search);
};
