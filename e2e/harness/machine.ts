import type { Person } from './client.ts';
import { connectDaemon, type Daemon, type DaemonOptions } from './daemon.ts';
import type { Processes } from './processes.ts';
import { startServer, type Server } from './server.ts';

interface Machine {
  server: Server;
  /** The owner, signed in. */
  ann: Person;
  daemon: Daemon;
}

/** A server whose owner has a machine. */
export const startMachine = async (
  processes: Processes,
  { env, ...daemon }: Omit<DaemonOptions, 'url' | 'token'> & { env?: Record<string, string> } = {},
): Promise<Machine> => {
  const server = await startServer(processes, env);
  const ann = await server.createOwner();
  return { server, ann, daemon: await connectDaemon(processes, { person: ann, url: server.url, ...daemon }) };
};
