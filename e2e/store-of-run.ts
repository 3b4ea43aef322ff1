import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { createProcesses, startServer } from './harness/index.ts';

let folder: string | undefined;

/** Lets a server create its tables once: the servers of a test run start with a copy of that store. */
export const setup = async (): Promise<void> => {
  const server = await startServer(createProcesses());
  folder = server.dataDir;
  await server.end('SIGTERM');
  const file = join(folder, 'with-tables.db');
  const store = new Database(join(folder, 'drawbridge.db'));
  // The secret of that server is not copied, and neither is what was made with it.
  store.prepare('delete from meta').run();
  store.prepare('vacuum into ?').run(file);
  store.close();
  process.env.TEST_STORE = file;
};

export const teardown = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
};
