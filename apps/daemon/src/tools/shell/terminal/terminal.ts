import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { findProgram } from '../../../paths/programs.ts';
import { errors } from '../../common/errors.ts';
import { shellEnvironment } from '../config.ts';

export const terminalInput = {
  terminal: z
    .strictObject({
      columns: z.number().int().min(20).max(500).default(120),
      rows: z.number().int().min(5).max(200).default(40),
    })
    .optional()
    .describe(
      'Run it in a terminal of this size, such as {} or { "columns": 80, "rows": 24 }, for programs that draw on one (default: none)',
    ),
};

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** Runs in the terminal, before the command. */
export const terminalStart =
  'stty $DRAWBRIDGE_TERMINAL; set -- "$DRAWBRIDGE_COMMAND"; unset DRAWBRIDGE_TERMINAL DRAWBRIDGE_COMMAND; exec /bin/sh -c "$1"';

/** For the prelude. Throws `noTerminal`. */
export const terminalEnvironment = (root: string, { columns, rows }: TerminalSize) => {
  const script = findProgram('script', shellEnvironment(root).PATH);
  if (script === undefined) throw errors.noTerminal();
  return {
    DRAWBRIDGE_SCRIPT: script,
    DRAWBRIDGE_TERMINAL: `rows ${rows} cols ${columns}`,
    TERM: 'xterm-256color',
  };
};

const sttyMs = 1_000;

/**
 * Whether the first terminal of a sandbox is read by lines and shows nothing of them, as for passwords. It is
 * found below the sandbox's own `/dev/pts`, where no program of it can put something else.
 */
export const hidesInput = (root: string, innermost: number): boolean => {
  const stty = findProgram('stty', shellEnvironment(root).PATH);
  if (stty === undefined) return false;
  try {
    const terminal = `/proc/${innermost}/root/dev/pts/0`;
    const settings = execFileSync(stty, ['-F', terminal, '-a'], {
      encoding: 'latin1',
      timeout: sttyMs,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /\s-echo\s/.test(settings) && /\sicanon\s/.test(settings);
  } catch {
    // It has ended.
    return false;
  }
};
