import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserMode } from '../../../permission/index.ts';
import { isRunning } from '../../../processes/process-tree.ts';

/** Runs that ended without cleaning up, of daemons that are gone. */
const removeLeftovers = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const pid = /^run-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
};

/** Makes the folders of one run below the daemon's own folder, for the person's eyes alone (0700). */
export const makeFolders = (privateFolder: string, mode: BrowserMode) => {
  const folder = join(privateFolder, 'browser');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftovers(folder);
  const run = mkdtempSync(join(folder, `run-${process.pid}-`));
  const make = (path: string) => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  return {
    profile: make(mode === 'persistent' ? join(folder, 'profile') : join(run, 'profile')),
    downloads: make(join(run, 'downloads')),
    uploads: make(join(run, 'output', 'uploads')),
    output: make(join(run, 'output')),
    /** Deletes all but a profile that is kept. */
    remove: () => rmSync(run, { recursive: true, force: true, maxRetries: 5 }),
  };
};

export type BrowserFolders = ReturnType<typeof makeFolders>;
