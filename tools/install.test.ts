import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { installWithPnpm } from './run/pnpm.mjs';

/** In place of pnpm: notes each start, and does then what `body` says. */
const usePnpm = (body: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-pnpm-'));
  const starts = join(folder, 'starts');
  const program = join(folder, 'pnpm.mjs');
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(starts)}, process.pid + ' ' + process.argv.slice(2).join(' ') + '\\n');
const start = readFileSync(${JSON.stringify(starts)}, 'utf8').split('\\n').length - 1;
const wait = () => setInterval(() => {}, 1_000);
${body}`,
  );
  vi.stubEnv('npm_execpath', program);
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    said.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  });
  return { said, starts: () => readFileSync(starts, 'utf8').trim().split('\n') };
};

it('an install that writes nothing is ended and starts again, and nothing of it is left', async () => {
  const { said, starts } = usePnpm('if (start < 3) wait();');
  await installWithPnpm(['install', '--frozen-lockfile'], 2_000);
  expect(starts()).toHaveLength(3);
  for (const line of starts()) {
    expect(line).toMatch(/^\d+ install --frozen-lockfile$/);
    expect(() => process.kill(Number.parseInt(line, 10), 0)).toThrow('ESRCH');
  }
  expect(said.mock.calls.map(([text]) => text)).toEqual(
    Array(2).fill('pnpm wrote nothing for 2 s: it starts again.\n'),
  );
});

it('one that goes on writing takes as long as it takes, and one that fails says why', async () => {
  const { starts } = usePnpm(`
    let left = 8;
    setInterval(() => {
      console.log('Progress: ' + left);
      if ((left -= 1) > 0) return;
      console.error('no space left');
      process.exit(1);
    }, 500);`);
  await expect(installWithPnpm(['install'], 3_000)).rejects.toThrow(/Progress: 1\s+no space left/);
  expect(starts()).toHaveLength(1);
});

it('Ctrl-C ends it with all that it has started', async () => {
  const { starts } = usePnpm('wait();');
  const { href } = new URL('run/pnpm.mjs', import.meta.url);
  const script = `import(${JSON.stringify(href)}).then(({ installWithPnpm }) => installWithPnpm(['install']))`;
  const running = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
  onTestFinished(() => void running.kill('SIGKILL'));
  await vi.waitFor(() => expect(starts()).toHaveLength(1), { timeout: 30_000 });
  running.kill('SIGINT');
  expect(await once(running, 'exit')).toEqual([130, null]);
  const pid = Number.parseInt(starts()[0] ?? '', 10);
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 30_000 });
});
