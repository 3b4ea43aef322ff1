import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const quint = join(dirname(require.resolve('@informalsystems/quint/package.json')), 'dist/src/cli.js');
const model = fileURLToPath(new URL('ownership.qnt', import.meta.url));

/** Walks random interleavings of a module of the model, the same ones in each run. */
const walk = async (main: string): Promise<string> => {
  const options = [
    '--init=init',
    '--step=advance',
    '--invariant=safe',
    '--max-samples=150',
    '--max-steps=30',
  ];
  const witnesses = ['--witnesses', 'handedOver', 'deliveredAfterMove'];
  const run = promisify(execFile)(process.execPath, [
    ...[quint, 'run', model, `--main=${main}`, ...options, '--seed=1', '--backend=typescript', ...witnesses],
  ]);
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
};

/** In how many of the runs a witness was seen. */
const seen = (output: string, witness: string): number =>
  Number(new RegExp(`${witness} was witnessed in (\\d+) `).exec(output)?.[1]);

describe('the model of stream ownership and leases', () => {
  it('delivers a call once and writes each step once, whichever server is judged dead at any moment', async () => {
    const output = await walk('fenced');
    expect(output).toContain('No violation found');
    expect(seen(output, 'handedOver')).toBeGreaterThan(10);
    expect(seen(output, 'deliveredAfterMove')).toBeGreaterThan(5);
  });

  it.each(['unfenced', 'sentFirst'])('finds the fault of its twin `%s`', async (twin) => {
    expect(await walk(twin)).toContain('Invariant violated');
  });
});
