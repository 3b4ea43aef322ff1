import { afterAll, expect, it } from 'vitest';
import { createProcesses, freePort, fromRoot, newFolder } from './harness/index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

/** The pnpm that runs the tests, or the one that the README names. */
const pnpm = (): [string, ...string[]] => {
  const own = process.env['npm_execpath'];
  return own?.includes('pnpm') ? [process.execPath, own] : ['npx', '--yes', 'pnpm@10'];
};

it('pnpm start prints few lines, the last of which is the link, and ends with what it started', async () => {
  const port = await freePort();
  const [command, ...args] = pnpm();
  const server = processes.start({
    command,
    args: [...args, '--dir', fromRoot(''), 'start'],
    env: {
      PORT: String(port),
      DATA_DIR: newFolder('data'),
      // pnpm's own: its store is there.
      HOME: process.env['HOME'] ?? '',
      PATH: process.env['PATH'] ?? '',
      LOG_FORMAT: 'text',
    },
  });
  await server.says(/setup#token=/);
  const lines = server.output().trim().split('\n');
  // pnpm itself prints the first two, and an empty one.
  const [ready, ...others] = lines.slice(3);
  expect(ready).toBe(`Drawbridge is ready on http://127.0.0.1:${port}`);
  expect(others.length).toBeLessThanOrEqual(2);
  expect(others.at(-1)).toMatch(/^[A-Z][^:]+: http:\/\/127\.0\.0\.1:\d+\/setup#token=\S+$/);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.output()).not.toContain('ELIFECYCLE');
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
});
