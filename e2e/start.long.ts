import { afterAll, expect, it } from 'vitest';
import { pnpmCommand } from '../tools/run/pnpm.mjs';
import { createProcesses, freePort, fromRoot, newFolder } from './harness/index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

type Started = ReturnType<typeof processes.start>;

const ended = { code: 0, signal: null };
const byKey = { code: null, signal: 'SIGINT' };

it.each<[string, (server: Started) => unknown, object[]]>([
  ['SIGTERM to pnpm', (server) => server.signal('SIGTERM'), [ended]],
  // Where the server has ended before pnpm sees the key, pnpm ends by it.
  ['Ctrl-C, which all of the terminal get', (server) => process.kill(-server.pid, 'SIGINT'), [ended, byKey]],
])(
  'pnpm start prints few lines, the last of which is the link, and ends with %s',
  async (_name, end, ends) => {
    const port = await freePort();
    const [command = '', ...args] = pnpmCommand();
    const server = processes.start({
      command,
      args: [...args, '--dir', fromRoot(''), 'start'],
      env: {
        PORT: String(port),
        DATA_DIR: newFolder('data'),
        // pnpm's own: its store is there.
        HOME: process.env['HOME'] ?? '',
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
    end(server);
    expect(ends).toContainEqual(await server.exit);
    expect(server.output()).not.toContain('ELIFECYCLE');
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
  },
);
