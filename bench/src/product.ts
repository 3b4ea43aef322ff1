import { connectDaemon, startServer, type Processes } from '@drawbridge/e2e/harness';
import { Pool } from 'undici';
import type { Shot } from './load.ts';

/** Starts the product's two processes, paired; the shot reads `filePath` below `root` through the tRPC door. */
export const startProduct = async (
  processes: Processes,
  file: { root: string; filePath: string; expects: string },
): Promise<Shot> => {
  const server = await startServer(processes, { LOG_LEVEL: 'info' });
  const person = await server.createOwner();
  await connectDaemon(processes, { person, url: server.url, root: file.root });
  const cookie = person.cookies().map(({ name, value }) => `${name}=${value}`);
  return {
    pool: new Pool(server.url, { connections: 64 }),
    path: '/trpc/calls.run',
    headers: { 'content-type': 'application/json', cookie: cookie.join('; ') },
    body: JSON.stringify({ name: 'read_file', arguments: { filePath: file.filePath } }),
    expects: file.expects,
  };
};
