import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errors } from './errors.ts';

const npmMs = 5 * 60_000;

const flags = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--no-package-lock',
  // Nothing that the daemon needs is built at install: its binaries are in its packages.
  '--ignore-scripts',
  '--prefer-offline',
  '--loglevel=error',
];

/** Installs a packed daemon with dependencies in a folder; npm gets `environment` only. Throws `NO_NPM`. */
export const fromPackage =
  (file: string, environment: NodeJS.ProcessEnv) =>
  async (draft: string): Promise<void> => {
    // npm would go up to the next folder that has one.
    await writeFile(join(draft, 'package.json'), '{ "private": true }\n');
    const path = `${dirname(process.execPath)}:${environment['PATH'] ?? ''}`;
    await new Promise<void>((resolve, reject) => {
      const options = { cwd: draft, env: { ...environment, PATH: path }, timeout: npmMs };
      execFile('npm', [...flags, '--prefix', draft, file], options, (error, _stdout, stderr) => {
        if (error === null) return resolve();
        const [words] = stderr.split('\n').filter((line) => line.trim() !== '');
        reject(
          errors.noNpm({
            ...(words && { message: `npm could not install the program (${words}); nothing was changed` }),
          }),
        );
      });
    });
  };
