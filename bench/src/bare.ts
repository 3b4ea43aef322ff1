import { fileURLToPath } from 'node:url';
import type { Processes } from '@drawbridge/e2e/harness';
import { Pool } from 'undici';
import type { Shot } from './load.ts';

const script = (name: string) => fileURLToPath(new URL(`${name}.ts`, import.meta.url));

/** Starts the baseline's two processes; the shot reads `filePath` below `root`. */
export const startBare = async (
  processes: Processes,
  file: { root: string; filePath: string; expects: string },
): Promise<Shot> => {
  const node = (name: string, ...args: string[]) =>
    processes.start({
      command: process.execPath,
      args: ['--import', 'tsx', script(name), ...args],
      cwd: import.meta.dirname,
    });
  const [, url = ''] = await node('bare-server').says(/ready on (\S+)/);
  await node('bare-daemon', url, file.root).says(/connected/);
  return {
    pool: new Pool(url, { connections: 64 }),
    path: '/call',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'read_file', arguments: { filePath: file.filePath } }),
    expects: file.expects,
  };
};
