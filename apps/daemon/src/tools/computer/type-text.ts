import { spawn } from 'node:child_process';
import { findProgram } from '../shell/programs.ts';

/** Where packages put programs: a search path of the environment may lead into the root. */
const usualPath = '/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin';

/**
 * Types any character on an X11 display, whatever the keyboard's layout, with `xdotool`. The text goes in by its input, so that no
 * list of processes shows it. Rejects with a sentence.
 */
export const typeText = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const program = findProgram('xdotool', usualPath);
    if (program === undefined)
      return reject(new Error('typing needs xdotool (Debian, Ubuntu: apt install xdotool)'));
    const child = spawn(program, ['type', '--delay', '8', '--file', '-'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('xdotool could not type'))));
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
