import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The oldest Node that is supported, and the newest, from the registry; those that are installed. */
export const otherNodes = (): { path: string; version: string }[] =>
  ['node-22', 'node-26']
    .map((name) => join(import.meta.dirname, 'node_modules', name, 'bin/node'))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() }));
