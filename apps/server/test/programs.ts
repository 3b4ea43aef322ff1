import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What a stand-in does: the last case whose pattern is in its arguments, joined by blanks. */
export interface ProgramCase {
  when: string;
  out?: string;
  err?: string;
  code?: number;
  /** Never ends. */
  hangs?: boolean;
}

const script = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const [, file, ...args] = process.argv;
const name = basename(file);
const folder = join(file, '..', '..');
const environment = Object.keys(process.env).filter((key) => key !== '__CF_USER_TEXT_ENCODING').sort();
appendFileSync(join(folder, 'calls'), JSON.stringify({ name, args, environment }) + '\\n');
const cases = JSON.parse(readFileSync(join(folder, name + '.json'), 'utf8'));
const found = cases.findLast(({ when }) => args.join(' ').includes(when));
if (found?.hangs) setInterval(() => {}, 1_000);
else {
  process.stdout.write(found?.out ?? '');
  process.stderr.write(found?.err ?? '');
  process.exitCode = found ? (found.code ?? 0) : 1;
}
`;

/** Stand-ins for programs of the machine, alone on a `PATH` of their own. */
export const standInPrograms = () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    path: [bin].join(delimiter),
    /** Adds a program, or gives it other cases. */
    put: (name: string, cases: ProgramCase[]) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(cases));
      writeFileSync(join(bin, name), script);
      chmodSync(join(bin, name), 0o755);
    },
    /** Every call so far, in order. */
    calls: (): { name: string; args: string[]; environment: string[] }[] => {
      try {
        return readFileSync(join(folder, 'calls'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { name: string; args: string[]; environment: string[] });
      } catch {
        return [];
      }
    },
  };
};
