import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pnpmCommand } from '../../tools/run/pnpm.mjs';
import { createProcesses, freePort, fromRoot, newFolder } from '../harness/index.ts';
import { describeWith } from '../services.ts';
import { otherNode } from './index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

/** What a clone has: no packages, nothing built. */
const copyTracked = (): string => {
  const copy = newFolder('clone');
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: fromRoot(''), encoding: 'utf8' });
  for (const name of names.split('\0').filter(Boolean)) cpSync(fromRoot(name), join(copy, name));
  return copy;
};

describeWith('other nodes', 'registry')('a checkout that was started first', () => {
  it(
    'is tested and built afterwards without a question, with no terminal, on an older Node',
    { timeout: 600_000 },
    async () => {
      const cwd = copyTracked();
      const old = otherNode('old') ?? '';
      const [command = '', ...before] = pnpmCommand();
      const pnpm = (args: string[], env: Record<string, string> = {}) =>
        processes.start({
          command: command === process.execPath ? old : command,
          args: [...before, ...args],
          cwd,
          // pnpm's own: its store is there. Neither CI nor a terminal answers for the person.
          env: {
            HOME: process.env['HOME'] ?? '',
            PATH: `${dirname(old)}${delimiter}${process.env['PATH'] ?? ''}`,
            // What this run has built of the same source is not built again: what is tried are the installations.
            TURBO_CACHE_DIR: fromRoot('.turbo/cache'),
            ...env,
          },
        });

      const server = pnpm(['start'], { PORT: String(await freePort()), DATA_DIR: newFolder('data') });
      await server.says(/setup#token=/);
      server.signal('SIGTERM');
      expect(await server.exit).toEqual({ code: 0, signal: null });

      for (const args of [['test', '--project', 'contracts'], ['build'], ['start', '--build-only']]) {
        const ran = pnpm(args);
        expect([args, await ran.exit, ran.output()]).toEqual([
          args,
          { code: 0, signal: null },
          expect.stringContaining('Node 20.19.5 is too old for Drawbridge: continuing with Node 24.21.0'),
        ]);
      }
    },
  );
});
