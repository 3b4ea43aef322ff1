import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { plainCommand } from '../../../permission/index.ts';
import { isWithin } from '../../../paths/protected.ts';
import { shellEnvironment } from '../config.ts';
import { digestFile } from './named-scripts.ts';
import { findProgram } from '../../../paths/programs.ts';

/**
 * A digest of a command's program file, for rules with further words; undefined for other commands
 * and for programs in `root`, which a call could replace.
 */
export const fingerprintOfProgram = (root: string, text: string): string | undefined => {
  const [program] = plainCommand(text) ?? [];
  if (program === undefined) return undefined;
  try {
    const file = findProgram(program, shellEnvironment(root).PATH);
    const path = file === undefined ? undefined : realpathSync(file);
    const digest = path === undefined || isWithin(path, root) ? undefined : digestFile(path);
    return digest && createHash('sha256').update(`${path} ${digest}`).digest('hex');
  } catch {
    // A file that cannot be read is not known.
    return undefined;
  }
};
