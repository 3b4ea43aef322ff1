import { afterAll, expect, it } from 'vitest';
import { createProcesses, freePort, fromRoot, newFolder } from './harness/index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

it('pnpm start prints few lines, the last of which is the link, and ends with Ctrl-C', async () => {
  const port = await freePort();
  const server = processes.start({
    command: process.execPath,
    args: [fromRoot('tools/start.mjs')],
    env: {
      PORT: String(port),
      DATA_DIR: newFolder('data'),
      // pnpm's own: its store is there.
      HOME: process.env['HOME'] ?? '',
      LOG_FORMAT: 'text',
      npm_execpath: process.env['npm_execpath'] ?? '',
    },
  });
  await server.says(/setup#token=/);
  const lines = server.output().trimEnd().split('\n');
  // pnpm itself prints two more.
  expect(lines.length).toBeLessThanOrEqual(3);
  expect(lines[0]).toBe(`Drawbridge is ready on http://127.0.0.1:${port}`);
  expect(lines.at(-1)).toMatch(/^[A-Z][^:]+: http:\/\/127\.0\.0\.1:\d+\/setup#token=\S+$/);
  expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null });
});
