import type { Server } from 'node:http';
import type { Clock } from '@drawbridge/kit';

/** How long requests may still be answered. */
const drainMs = 4_000;
const sweepEveryMs = 50;

interface Needs {
  clock: Clock;
  /** Takes no new connections; resolves when the last one has ended. */
  close(): Promise<unknown>;
  /** Closes the sockets without a request in progress. */
  closeIdle(): void;
}

/** Resolves when every request is answered, or was cut after 4 s. */
export const closeServers = async (
  servers: readonly Server[],
  { clock, close, closeIdle }: Needs,
): Promise<void> => {
  const cancelCut = clock.after(drainMs, () => {
    for (const server of servers) server.closeAllConnections();
  });
  const closing = close();
  closeIdle();
  const stopSweeping = clock.every(sweepEveryMs, closeIdle);
  await closing;
  cancelCut();
  stopSweeping();
};
