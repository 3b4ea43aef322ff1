import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeWith } from '../../../e2e/services.ts';
import { sandboxTrials } from '../src/tools/shell/sandbox/sandbox-trials.ts';

const cli = join(import.meta.dirname, '../dist/cli.cjs');
const own = process.getuid?.() ?? 0;

const reply = z.object({
  checks: z.array(z.object({ name: z.string(), state: z.string(), says: z.string() })),
});

describeWith('bubblewrap')('SH-35 SH-44 doctor tries the sandbox, and names each trial', () => {
  // Only root can become another user.
  it.each(own === 0 ? [0, 12_345] : [own])('as the user %i', (uid) => {
    const home = mkdtempSync(join(tmpdir(), 'drawbridge-user-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    chownSync(home, uid, uid);
    chmodSync(home, 0o700);
    const { stdout, stderr } = spawnSync(process.execPath, [cli, 'doctor', '--json'], {
      cwd: home,
      env: { HOME: home, PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
      ...(own === 0 && { uid, gid: uid }),
    });
    const { checks } = reply.parse(JSON.parse(stdout || stderr));
    expect(checks.find(({ name }) => name === 'sandbox')).toEqual({
      name: 'sandbox',
      state: 'ok',
      says: `ready; shell is on deny; tested and blocked: ${sandboxTrials.join(', ')}`,
    });
  });
});
